/// Which sleepers to ring, once the log's lock is released. In one word, since each sender looks at it.
@usableFromInline
enum Wake: Sendable {
  case nobody
  /// This one, and those that it is linked to.
  case few(Doorbell)
  /// More than a sender rings itself. They are its own until it has rung the first.
  indirect case crowd(Sleepers)
  /// A few of those that are due.
  case due
}
