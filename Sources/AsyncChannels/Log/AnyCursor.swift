/// A live subscription to a log, without its elements: a place in the log, the lease on it, and the
/// sleeping when there is nothing to read. `Cursor` is the rest.
///
/// **Hand-over.** The newest iterator that has asked is the consumer (see `Lease`). One that asks
/// while an older one sleeps takes that one's doorbell out of the line, drops it and rings it. The
/// older one wakes, finds that the cursor is no longer its own, and its `next()` returns `nil`. The
/// doorbell tells, too, when one iterator is asked again before its last call has returned: that call
/// wakes and finds that the cursor sleeps on another doorbell, or not at all.
///
/// The lease is never held over a suspension. Looking, joining the line and falling asleep are one
/// synchronous function; what wakes takes the lease anew.
///
/// `@unchecked Sendable`, both: the variables are touched only by the consumer that has the lease,
/// and by `deinit`, when there is no consumer.
@usableFromInline
class AnyCursor: @unchecked Sendable {
  @usableFromInline final let lease = Lease()
  /// Nil for a bounded subscriber, and for one that came after the end.
  ///
  /// `exclusivity(unchecked)`: the lease excludes already, and the check costs as much as a read.
  @exclusivity(unchecked) @usableFromInline final var position: Position?
  /// Whether to read from the queue: always if bounded, else until what was replayed is read. Until
  /// then nothing of the log is known to `position`.
  @exclusivity(unchecked) @usableFromInline final var readsQueue: Bool
  private final let queue: AnySubscriberQueue?
  private final let log: AnyBroadcastLog
  /// Made at the first sleep, and again when one was cancelled or displaced.
  private final var bell: Doorbell?
  /// Whether a consumer sleeps on `bell`: from joining the line until it has the lease again, or has
  /// lost its place to another.
  private final var isAsleep = false

  @usableFromInline
  init(in log: AnyBroadcastLog, at position: Position?, queue: AnySubscriberQueue?) {
    self.log = log
    self.position = position
    self.queue = queue
    readsQueue = queue != nil
  }

  /// For what is reported to a developer.
  var elementType: Any.Type { Never.self }

  final var droppedCount: Int {
    queue.map(log.droppedCount) ?? 0
  }

  /// Unsubscribes. Returns up to where a reader of the log owes the elements it has not read.
  @usableFromInline
  final func leave() -> LogEnd? {
    log.leave(readsLog: position != nil, queue: queue, bell: bell)
  }

  /// Waits until there may be something to take. False at the end of the log, if the task is
  /// cancelled, or if a newer consumer has asked.
  final func waitForElement(as ticket: UInt64, isolation: isolated (any Actor)?) async -> Bool {
    if Task.isCancelled { return false }
    switch lookOrFallAsleep(as: ticket) {
    case .readable: return true
    case .over: return false
    case .asleep(let bell):
      await bell.wait(isolation: isolation)
      return wakeUp(from: bell, as: ticket)
    }
  }

  /// Looks for elements without waiting, for a consumer whose take found none.
  final func look(as ticket: UInt64) -> Look {
    guard lease.acquire(ticket) else { return .finished }
    let displaced = displaceSleeper()
    let look = advance() ? .readable : log.look(at: position, queue: queue)
    lease.release(ticket)
    displaced?.ring()
    return look
  }

  /// What a consumer found that wanted to sleep.
  private enum Arrival {
    case readable
    /// Nothing more will come, for this consumer at least.
    case over
    case asleep(Doorbell)
  }

  /// Not inlined: an async caller would keep the room for these variables while it sleeps.
  @inline(never)
  private final func lookOrFallAsleep(as ticket: UInt64) -> Arrival {
    guard lease.acquire(ticket) else {
      reportDisplacement()
      return .over
    }
    let displaced = displaceSleeper()
    let arrival = advance() ? .readable : joinLine()
    lease.release(ticket)
    displaced?.ring()
    return arrival
  }

  /// Takes the place of a consumer that sleeps, and returns what to ring when the lease is given
  /// back. Requires the lease.
  private final func displaceSleeper() -> Doorbell? {
    guard isAsleep else { return nil }
    return dropBell()
  }

  /// Requires the lease.
  private final func dropBell() -> Doorbell? {
    if let bell { log.forget(bell) }
    isAsleep = false
    return bell.take()
  }

  /// Goes on to the next segment of the log if this one is read. Requires the lease.
  private final func advance() -> Bool {
    !readsQueue && position?.advance() == true
  }

  /// Requires the lease.
  private final func joinLine() -> Arrival {
    // A consumer that never has to wait makes no doorbell.
    var look = bell == nil ? log.look(at: position, queue: queue) : .nothing
    if look == .nothing {
      let bell = bell ?? Doorbell()
      self.bell = bell
      look = log.sleep(at: position, queue: queue, bell: bell)
      isAsleep = look == .nothing
      if isAsleep { return .asleep(bell) }
    }
    return look == .readable ? .readable : .over
  }

  /// After the wait: rung, cancelled or displaced. False if there is no use in looking again.
  ///
  /// The stream is over only if the task was cancelled while it waited, and this sees that: the
  /// runtime sets the flag before it calls the stream's handler, and the wait ends after the handler
  /// was removed.
  @inline(never)
  private final func wakeUp(from bell: Doorbell, as ticket: UInt64) -> Bool {
    guard lease.acquire(ticket) else {
      reportDisplacement()
      return false
    }
    let isDisplaced = !isAsleep || bell !== self.bell
    let isCancelled = Task.isCancelled
    if !isDisplaced {
      isAsleep = false
      if isCancelled { _ = dropBell() }
    }
    lease.release(ticket)
    if isDisplaced { reportDisplacement() }
    return !isDisplaced && !isCancelled
  }

  /// Two listeners on one subscription are legal, but hardly ever meant: a developer is told once.
  private final func reportDisplacement() {
    #if DEBUG
      if Task.isCancelled { return }
      Diagnostics.reportOnce(
        """
        A consumer of a subscription to \(elementType) was displaced by a newer one, and its loop \
        ended. A subscription has one consumer: for two listeners, subscribe once for each.
        """)
    #endif
  }
}
