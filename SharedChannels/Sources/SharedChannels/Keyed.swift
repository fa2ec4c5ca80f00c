/// Something to append, with the key by which a log recognizes it. Of two with one key a log keeps the first.
///
/// So a caller that got no answer can ask again with the same key, without doing anything twice, as long as the log has the
/// key (`history` of ``SharedChannel``).
public struct Keyed<Value: Sendable>: Sendable {
  /// Unique among all commands of all machines, for example a UUID that the client made: 1 to 255 characters of ASCII
  /// that can be printed, spaces included.
  public let key: String
  /// What is appended.
  public let value: Value

  /// Nothing is checked here: the key may come from a client. ``SharedChannel`` answers an invalid one with
  /// ``CommandOutcome/notStored(_:)``.
  public init(key: String, _ value: Value) {
    (self.key, self.value) = (key, value)
  }

  package var hasValidKey: Bool {
    1...255 ~= key.utf8.count && key.utf8.allSatisfy { 0x20...0x7E ~= $0 }
  }
}

/// What became of one element of an appended batch: it is durable.
public struct Receipt: Hashable, Sendable {
  /// Where the entry with this key is in the log.
  public let position: Position
  /// Whether the log had the key before. Then nothing was appended, and the position is that of the first.
  public let isRepeated: Bool

  public init(position: Position, isRepeated: Bool) {
    (self.position, self.isRepeated) = (position, isRepeated)
  }
}

/// An entry that is in a log.
public struct Logged<Value: Sendable>: Sendable {
  /// The place after this entry.
  public let position: Position
  /// The key with which it was appended.
  public let key: String
  /// What was appended.
  public let value: Value

  public init(position: Position, key: String, value: Value) {
    (self.position, self.key, self.value) = (position, key, value)
  }
}

extension Logged: Equatable where Value: Equatable {}
extension Keyed: Equatable where Value: Equatable {}
