/// Which sleepers to ring, once the log's lock is released: this one, and those that it is linked to. In one word,
/// since each sender looks at it.
@usableFromInline
enum Wake: Sendable {
  case nobody
  case few(Doorbell)
  /// The first of a crowd. When they are rung, the actor has to be told of the rest.
  case crowd(Doorbell)

  /// A sender rings so many itself.
  static var few: Int { 16 }
}
