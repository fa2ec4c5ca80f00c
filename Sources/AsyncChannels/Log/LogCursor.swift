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

  @usableFromInline
  init(
    in log: BroadcastLogBase, at position: Position?, queue: SubscriberQueueBase?, attended: Int
  ) {
    untypedLog = log
    self.attended = attended
    self.position = position
    untypedQueue = queue
    readsQueue = queue != nil
    super.init()
    if log.isRecorded.load(ordering: .relaxed) { noteSubscribing() }
  }

  /// Whether it was made after the end, and gives nothing.
  final var isPastTheEnd: Bool { position == nil && untypedQueue == nil }

  final override var droppedCount: Int {
    untypedQueue.map(untypedLog.droppedCount) ?? 0
  }

  /// Returns the end of the elements that a reader of the log still owes a read; nil for others.
  @usableFromInline
  final func unsubscribe() -> LogEnd? {
    if untypedLog.isRecorded.load(ordering: .relaxed) { noteLeaving() }
    return untypedLog.unsubscribe(
      readsLog: position != nil, queue: untypedQueue, attended: attended)
  }

  final override func countPending() -> Int {
    untypedLog.pendingCount(at: position, queue: untypedQueue)
  }

  final override func peek() -> Bool { advance() }

  final override func look() -> Look {
    advance() ? .readable : untypedLog.look(at: position, queue: untypedQueue)
  }

  final override func lookOrJoin(_ bell: Doorbell) -> Look {
    advance()
      ? .readable
      : untypedLog.lookOrJoin(at: position, queue: untypedQueue, bell: bell, for: self)
  }

  final override func leaveQueue(_ bell: Doorbell) {
    untypedLog.leaveQueue(bell)
  }

  final override func makeWatchers() -> [Waiter] { [ArrivalWatcher(of: self)] }

  /// Goes on to the next segment of the log if this one is read. True if there is an element.
  ///
  /// What it finds is not known yet if it is recorded: so each element is taken by `takeRecorded`.
  private final func advance() -> Bool {
    guard !readsQueue, position?.advance() == true else { return false }
    if untypedLog.isSettling.load(ordering: .relaxed) { noteAsking() }
    if untypedLog.isRecorded.load(ordering: .relaxed) { position?.forgetKnown() }
    return true
  }

  /// The consumer asks for the element at its position, and has taken those before.
  ///
  /// Not inlined: hardly ever does anybody wait for that.
  @inline(never)
  private final func noteAsking() {
    if let position { untypedLog.noteAsking(for: self, at: position.number) }
  }

  final override func note(_ step: ConsumerStep) {
    if untypedLog.isRecorded.load(ordering: .relaxed) { noteRecorded(step) }
  }

  final override func flow() -> String? { untypedLog.taps.first?.flow() }
}
