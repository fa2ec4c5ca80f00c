//# by: page
@MainActor final class Example {
  enum Load: Sendable {
    case refresh, more
    var overlap: Overlap { self == .refresh ? .latestOnly : .firstOnly }
  }

  let _load = Input<Load>()
  @CurrentValue var isLoading = false
  var posts: [String] = []
  let page: @Sendable (Load) async -> [String] = { _ in [] }

  func run() async {
/*block*/
  }
}
