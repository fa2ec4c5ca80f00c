/// A user with a profile.
public struct User: Sendable, Hashable, Identifiable {
  /// The identity of the user.
  public let id: Int

  /// The name to show.
  public let name: String

  /// Makes a user.
  public init(id: Int, name: String) {
    self.id = id
    self.name = name
  }
}
