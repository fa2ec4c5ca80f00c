public import AsyncChannels
public import Observation

/// Signs in by way of an authenticator, exactly once for each input, however many listen.
///
/// Cancelling ``run()`` cancels a request under way, which then gives no result. Inputs that were
/// not begun wait for the next run.
@MainActor
public final class AuthViewModel: AuthViewModelType, Observable {
  /// Credentials to sign in with.
  @Input public var signIn: Inlet<Credentials>

  /// What became of each attempt.
  @Output public var signInResult: Outlet<Result<Token, AuthError>>

  /// Whether an attempt is under way.
  public var isSigningIn: StateOutlet<Bool> { $signingIn }

  @CurrentValue private var signingIn = false
  private let authenticator: any Authenticator
  private let overlap: Overlap

  /// - Parameters:
  ///   - authenticator: Tells whether credentials are right.
  ///   - overlap: What a second sign-in does while the first is under way.
  public init(authenticator: any Authenticator, overlap: Overlap = .oneAtATime) {
    self.authenticator = authenticator
    self.overlap = overlap
  }

  /// Signs in with what comes to ``signIn``, until its task is cancelled.
  public func run() async {
    await _signIn.received.answer(overlap, busy: _signingIn.inlet, by: authenticator.authenticate) {
      self._signInResult.send($0)
    }
  }
}
