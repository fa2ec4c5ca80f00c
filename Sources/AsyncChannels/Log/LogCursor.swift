import Synchronization

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
  /// Whether to read from the queue: always if bounded, else until what was replayed is read, if
  /// anything was. Until then `position` does not look for elements, and cancelled tasks take none.
  @exclusivity(unchecked) @usableFromInline final var readsQueue: Bool
  final let untypedQueue: SubscriberQueueBase?
  @usableFromInline final let untypedLog: BroadcastLogBase
  /// The number of the last call of `settled()` that need not wait for this subscriber (see
  /// `Attendance`). Touched only under the log's lock, and in `deinit`.
  final var attended: Int
  /// How a recording tells a subscriber that has no queue from others. Touched only under the log's lock.
  final var tag: SubscriberTag?

  @usableFromInline
  init(
    in log: BroadcastLogBase, at position: Position?, queue: SubscriberQueueBase?, attended: Int,
    tag: SubscriberTag?
  ) {
    untypedLog = log
    self.attended = attended
    self.tag = tag
    self.position = position
    untypedQueue = queue
    readsQueue = queue != nil
    super.init()
  }

  /// Whether it was made after the end, and gives nothing.
  final var isPastTheEnd: Bool { position == nil && untypedQueue == nil }

  final override var droppedCount: Int {
    untypedQueue.map { queue in untypedLog.state.withLock { _ in queue.droppedCount } } ?? 0
  }

  /// Returns the end of the elements that a reader of the log still owes a read; nil for others.
  @usableFromInline
  final func unsubscribe() -> LogEnd? {
    if untypedLog.isRecorded.load(ordering: .relaxed) { noteLeaving() }
    return untypedLog.unsubscribe(
      readsLog: position != nil, queue: untypedQueue, attended: attended)
  }

  final override func countPending() -> Int {
    untypedLog.state.withLock { $0.pendingCount(at: position, queue: untypedQueue) }
  }

  final override func peek() -> Bool { advance(asks: true) }

  final override func look(asks: Bool, orJoinWith bell: Doorbell?) -> Look {
    advance(asks: asks) ? .readable : untypedLog.look(for: self, asks: asks, orJoinWith: bell)
  }

  final override func leaveQueue(_ bell: Doorbell) {
    untypedLog.leaveQueue(bell)
  }

  final override func makeWatchers() -> [Waiter] { [ArrivalWatcher(of: self)] }

  /// Whether somebody waits until the log's subscribers have settled, and may wait for this one.
  final var isAwaited: Bool { untypedLog.isSettling.load(ordering: .relaxed) }

  /// Goes on from what was replayed to the log, and there to the next segment, if the one before is
  /// read. True if there is an element.
  ///
  /// What it finds is not known yet if it is recorded: so each element is taken by `takeRecorded`.
  private final func advance(asks: Bool) -> Bool {
    // Only this consumer takes what was replayed, and nobody adds to it: so it needs no lock here.
    if readsQueue, position != nil, untypedQueue?.count ?? 0 == 0 { readsQueue = false }
    guard !readsQueue, position?.advance() == true else { return false }
    if asks, isAwaited { untypedLog.noteAsking(for: self) }
    if untypedLog.isRecorded.load(ordering: .relaxed) { position?.forgetKnown() }
    return true
  }

  final override func note(_ step: ConsumerStep) {
    if untypedLog.isRecorded.load(ordering: .relaxed) { noteRecorded(step) }
  }

  final override func flow() -> String? { untypedLog.taps.first?.flow() }
}
