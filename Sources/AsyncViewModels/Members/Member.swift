/// Somebody in the list.
public struct Member: Sendable, Hashable, Identifiable {
  /// Given by the manager, from 1; never used twice.
  public let id: Int
  public let name: String

  public init(id: Int, name: String) {
    self.id = id
    self.name = name
  }
}
