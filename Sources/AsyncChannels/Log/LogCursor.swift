/// A live subscription to a log, without its elements: a place in the log, or a queue that senders
/// fill. `Cursor` is the rest.
///
/// `@unchecked Sendable`, both: for the reason that `Waiter` gives.
@usableFromInline
class LogCursor: Waiter, @unchecked Sendable {
  /// Nil for a bounded subscriber, and for one that came after the end.
  ///
  /// `exclusivity(unchecked)`: the lease excludes already, and the check costs as much as a read.
  @exclusivity(unchecked) @usableFromInline final var position: Position?
  /// Whether to read from the queue: always if bounded, else until what was replayed is read. Until
  /// then `position` does not look for elements.
  @exclusivity(unchecked) @usableFromInline final var readsQueue: Bool
  private final let queue: SubscriberQueueBase?
  private final let log: BroadcastLogBase

  @usableFromInline
  init(in log: BroadcastLogBase, at position: Position?, queue: SubscriberQueueBase?) {
    self.log = log
    self.position = position
    self.queue = queue
    readsQueue = queue != nil
  }

  /// Whether it was made after the end, and gives nothing.
  final var isPastTheEnd: Bool { position == nil && queue == nil }

  final override var droppedCount: Int {
    queue.map(log.droppedCount) ?? 0
  }

  /// Returns the end of the elements that a reader of the log still owes a read; nil for others.
  @usableFromInline
  final func unsubscribe() -> LogEnd? {
    log.unsubscribe(readsLog: position != nil, queue: queue)
  }

  final override func look() -> Look {
    advance() ? .readable : log.look(at: position, queue: queue)
  }

  final override func lookOrJoin(_ bell: Doorbell) -> Look {
    advance() ? .readable : log.lookOrJoin(at: position, queue: queue, bell: bell)
  }

  final override func leaveQueue(_ bell: Doorbell) {
    log.leaveQueue(bell)
  }

  /// Goes on to the next segment of the log if this one is read.
  private final func advance() -> Bool {
    !readsQueue && position?.advance() == true
  }
}
