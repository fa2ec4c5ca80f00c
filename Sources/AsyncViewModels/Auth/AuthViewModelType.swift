public import AsyncChannels

/// Signing in: what goes in, and what comes out.
public protocol AuthViewModelType: ViewModel {
  /// Input: sign in with these.
  var signIn: Inlet<Credentials> { get }

  /// Output: how each sign-in ended.
  var signInResult: Outlet<Result<Token, AuthError>> { get }

  /// Output: whether a sign-in is under way. It is false before the result of the last is
  /// published.
  var isSigningIn: StateOutlet<Bool> { get }
}
