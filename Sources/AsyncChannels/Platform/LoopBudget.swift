import Synchronization

/// How long a consumer has been taking elements on an actor without a pause. Others that wait for the actor,
/// above all the main actor, get their turn after a millisecond.
struct LoopBudget: ~Copyable, Sendable {
  /// In nanoseconds.
  static var longest: UInt64 { 1_000_000 }

  /// When it began; zero after a pause. Relaxed: consumers that take turns may lose a note of it.
  private let beginning = Atomic<UInt64>(0)

  /// Whether others are to have a turn, which the caller gives them. To be asked every 64 elements.
  func isOver() -> Bool {
    let (now, known) = (CurrentThread.uptime, beginning.load(ordering: .relaxed))
    let isOver = known != 0 && now &- known >= Self.longest
    if isOver || known == 0 { beginning.store(now, ordering: .relaxed) }
    return isOver
  }

  /// To be called when the consumer sleeps.
  func pause() {
    beginning.store(0, ordering: .relaxed)
  }
}
