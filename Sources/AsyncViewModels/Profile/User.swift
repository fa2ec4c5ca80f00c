/// Somebody with a profile.
public struct User: Sendable, Hashable, Identifiable {
  public let id: Int
  public let name: String

  public init(id: Int, name: String) {
    self.id = id
    self.name = name
  }
}

/// Where users come from.
public protocol UserLoader: Sendable {
  /// When its task is cancelled it should end soon.
  func user(_ id: User.ID) async throws -> User
}
