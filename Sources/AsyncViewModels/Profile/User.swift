/// Somebody with a profile.
public struct User: Sendable, Hashable, Identifiable {
  public let id: Int
  public let name: String

  public init(id: Int, name: String) {
    self.id = id
    self.name = name
  }
}
