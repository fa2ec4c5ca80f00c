/// Checks credentials.
public protocol Authenticator: Sendable {
  /// Exchanges credentials for a token. When its task is cancelled it should end soon.
  func authenticate(_ credentials: Credentials) async throws(AuthError) -> Token
}
