/// A member of the list.
public struct Member: Sendable, Hashable, Identifiable, Codable {
  /// Given by the manager, from 1; never used twice.
  public let id: Int

  /// The name, as it was added.
  public let name: String

  /// Makes a member, for previews and tests. A manager gives each one its own id.
  public init(id: Int, name: String) {
    self.id = id
    self.name = name
  }

  /// Whether a member can have this name: not if it is blank, or "invalid name".
  public static func isValid(name: String) -> Bool {
    !name.allSatisfy(\.isWhitespace) && name.lowercased() != "invalid name"
  }
}
