/// Sleepers that a sender has left to others: the rest of a crowd, and those that fell asleep after it.
///
/// One rings at a time, so that they are rung in order: the actor, or, until a thread runs that, a later
/// sender or a consumer that has woken, which ring a few. Who stops ringing tells the actor, if some
/// are still due and it is not told already.
struct DueSleepers: Sendable {
  /// So many are rung in one go.
  static var few: Int { 16 }

  var sleepers = Sleepers()
  /// Set by `begin`; who has rung sets it back.
  var isBeingRung = false
  /// Whether the actor will look, and has not begun to. It sets this back when it begins.
  var actorIsTold = false

  /// Whether those that are woken later have to wait for these.
  var isWaitedFor: Bool { sleepers.count > 0 || isBeingRung }

  /// Whether there are some, and nobody rings.
  var canBeRung: Bool { sleepers.count > 0 && !isBeingRung }

  /// Gives a few to the caller, who rings them. Nil if there are none, or another rings.
  mutating func begin() -> Sleepers? {
    guard canBeRung else { return nil }
    isBeingRung = true
    return sleepers.popFirst(Self.few)
  }

  /// True if the caller is to tell the actor.
  mutating func mustTellActor() -> Bool {
    guard canBeRung, !actorIsTold else { return false }
    actorIsTold = true
    return true
  }
}
