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
