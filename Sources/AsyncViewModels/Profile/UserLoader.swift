/// Where users come from.
public protocol UserLoader: Sendable {
  /// When its task is cancelled it should end soon.
  func user(_ id: User.ID) async throws -> User
}
