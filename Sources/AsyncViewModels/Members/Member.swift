/// Somebody in the list.
public struct Member: Sendable, Hashable, Identifiable, Codable {
  /// Given by the manager, from 1; never used twice.
  public let id: Int
  public let name: String

  public init(id: Int, name: String) {
    self.id = id
    self.name = name
  }

  /// Whether somebody can have this name: not if it is blank, or "invalid name".
  public static func isValid(name: String) -> Bool {
    !name.allSatisfy(\.isWhitespace) && name.lowercased() != "invalid name"
  }
}
