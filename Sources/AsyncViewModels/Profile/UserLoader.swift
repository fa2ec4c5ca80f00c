/// Where users come from.
public protocol UserLoader: Sendable {
  /// If its task is cancelled, this should end soon.
  func user(_ id: User.ID) async throws -> User
}
