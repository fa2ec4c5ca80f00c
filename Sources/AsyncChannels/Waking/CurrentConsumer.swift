/// Which of the iterators that have asked is the consumer, and on which doorbell it sleeps (see `Waiter`).
///
/// A value: an event changes it, and returns what is to be done. It knows no lock, no queue and no task.
struct CurrentConsumer {
  /// What comes of an iterator that asks.
  enum Succession {
    /// A newer one has asked.
    case refused
    /// It is the consumer. One that sleeps on this doorbell is not any more: it has to leave the queue, and be rung.
    case granted(displacing: Doorbell?)
  }

  /// That of the newest iterator that has asked.
  private(set) var epoch: UInt64 = 0
  /// Made at the first sleep, and again when one was cancelled or displaced.
  private(set) var bell: Doorbell?
  /// From joining the queue until it has woken. Without a doorbell it says nothing.
  private(set) var isAsleep = false

  /// An iterator asks, or the same one again before its last call has returned.
  mutating func ask(as epoch: UInt64) -> Succession {
    guard self.epoch <= epoch else { return .refused }
    self.epoch = epoch
    return .granted(displacing: isAsleep ? dropBell() : nil)
  }

  /// It has joined the queue.
  mutating func fallAsleep(on bell: Doorbell) {
    (self.bell, isAsleep) = (bell, true)
  }

  /// One that slept is awake, rung or cancelled. False if another has taken its place.
  mutating func wakeUp(from bell: Doorbell) -> Bool {
    guard bell === self.bell else { return false }
    isAsleep = false
    return true
  }

  /// Its stream has ended, or may have a listener that was displaced: the next sleep needs another.
  @discardableResult
  mutating func dropBell() -> Doorbell? { bell.take() }
}
