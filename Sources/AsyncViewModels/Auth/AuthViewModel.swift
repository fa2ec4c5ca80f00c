public import AsyncChannelsRunning
public import Observation

/// Signs in with an authenticator, exactly once for each input, for any number of listeners.
///
/// Cancelling ``run()`` cancels a request in progress, which then has no result. Inputs whose request has not
/// begun wait for the next run.
@MainActor
public final class AuthViewModel: AuthViewModelType, Observable {
  /// Credentials to sign in with.
  @Input public var signIn: Inlet<Credentials>

  /// The result of each attempt.
  @Output public var signInResult: Outlet<Result<Token, AuthError>>

  /// Whether an attempt is in progress.
  public var isSigningIn: StateOutlet<Bool> { $signingIn }

  @CurrentValue private var signingIn = false
  private let authenticator: any Authenticator
  private let overlap: Overlap

  /// Makes a view model for a sign-in screen.
  ///
  /// - Parameters:
  ///   - authenticator: Checks the credentials.
  ///   - overlap: What happens to a second sign-in while the first is in progress.
  public init(authenticator: any Authenticator, overlap: Overlap = .oneAtATime) {
    self.authenticator = authenticator
    self.overlap = overlap
  }

  /// Signs in with the credentials that arrive at ``signIn``, until its task is cancelled.
  public func run() async {
    await _signIn.received.answer(
      OverlapRule(overlap), busy: _signingIn.inlet, by: authenticator.authenticate
    ) { self._signInResult.send($1) }
  }
}
