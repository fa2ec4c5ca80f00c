//# busy: _signingIn.inlet, by: authenticator.authenticate
@MainActor final class Example {
  let _signIn = Input<Credentials>()
  let _signInResult = Output<Result<Token, AuthError>>()
  let _signingIn = CurrentValue(false)
  let authenticator = StubAuthenticator()

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
