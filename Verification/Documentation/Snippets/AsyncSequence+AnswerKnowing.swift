//# by: loader.load
struct Image: Sendable {}

struct Loader: Sendable {
  func load(_ id: Int) async -> Image { Image() }
}

@MainActor final class Example {
  let _load = Input<Int>()
  let loader = Loader()
  var images: [Int: Image] = [:]

  func run() async {
/*block*/
  }
}
//# server.load(url) { progress.send($0) }
struct File: Sendable {}

struct Server: Sendable {
  func load(_ url: String, _ report: @Sendable (Double) -> Void) async -> File { File() }
}

@MainActor final class Example {
  let _download = Input<String>()
  let server = Server()
  var fraction = 0.0
  var file: File?

  func run() async {
    let server = server
/*block*/
  }
}
