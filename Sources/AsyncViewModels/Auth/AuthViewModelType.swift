public import AsyncChannelsRunning

/// A view model for signing in. Use the protocol where a test or a preview has another object.
public protocol AuthViewModelType: ViewModel {
  /// Input: sign in with these.
  var signIn: Inlet<Credentials> { get }

  /// Output: how each sign-in ended.
  var signInResult: Outlet<Result<Token, AuthError>> { get }

  /// Output: whether a sign-in is in progress. It becomes false before the last result is published.
  var isSigningIn: StateOutlet<Bool> { get }
}
