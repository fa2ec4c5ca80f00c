import Synchronization

/// How long a consumer has been taking elements on an actor without a pause. Others that wait for the actor,
/// above all the main actor, get their turn after a millisecond.
struct Stint: ~Copyable, Sendable {
  /// In nanoseconds.
  static var longest: UInt64 { 1_000_000 }

  /// When it began; `justBegun` until its second look, and zero after a pause. Relaxed: consumers that take
  /// turns may lose a note of it.
  private let beginning = Atomic<UInt64>(0)
  private static var justBegun: UInt64 { 1 }

  /// Whether others are to have a turn, which the caller gives them. To be asked every 64 elements.
  ///
  /// The clock is read only for a consumer that finds elements without sleeping.
  func isOver() -> Bool {
    let known = beginning.load(ordering: .relaxed)
    if known == 0 {
      beginning.store(Self.justBegun, ordering: .relaxed)
      return false
    }
    let now = CurrentThread.uptime
    if known == Self.justBegun {
      beginning.store(now, ordering: .relaxed)
      return false
    }
    guard now &- known >= Self.longest else { return false }
    pause()
    return true
  }

  /// To be called when the consumer sleeps.
  func pause() {
    beginning.store(0, ordering: .relaxed)
  }
}
