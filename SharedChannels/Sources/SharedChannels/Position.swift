/// A place in a log: after its first `index` entries. Use it to read on, and to tell which of two states is newer.
///
/// Positions of one ``epoch`` are ordered by their ``index``. Entries get the indexes 1, 2, 3, …, without gaps.
/// If a log was set back, for example restored from a backup, it gets another epoch, since indexes come a second
/// time. Do not compare the indexes of two epochs.
public struct Position: Hashable, Sendable, Codable {
  /// The name of the history that the index belongs to.
  public let epoch: String
  /// The number of entries up to this place, deleted ones included; 0 before the first.
  public let index: Int64
  /// A random number that was stored with the entry at this place. It tells whether a log still has that entry, or
  /// was set back and has got another one in its place.
  public let mark: Int64

  /// - Parameter index: Traps if it is negative.
  public init(epoch: String, index: Int64, mark: Int64) {
    precondition(index >= 0, "A position has \(index) entries before it: there are at least 0.")
    (self.epoch, self.index, self.mark) = (epoch, index, mark)
  }

  /// Whether this place is in the same history as the other, and after it or at it.
  public func isAtOrAfter(_ other: Position) -> Bool {
    epoch == other.epoch && index >= other.index
  }
}
