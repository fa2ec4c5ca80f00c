/// A live subscription to a log, without its elements: a place in the log, the lease on it, and the
/// sleeping when there is nothing to read. `Cursor` is the rest.
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
  /// Made at the first sleep, and again after one was cancelled.
  private final var bell: Doorbell?

  @usableFromInline
  init(in log: AnyBroadcastLog, at position: Position?, queue: AnySubscriberQueue?) {
    self.log = log
    self.position = position
    self.queue = queue
    readsQueue = queue != nil
  }

  final var droppedCount: Int {
    queue.map(log.droppedCount) ?? 0
  }

  /// Unsubscribes. Returns up to where a reader of the log owes the elements it has not read.
  @usableFromInline
  final func leave() -> LogEnd? {
    log.leave(readsLog: position != nil, queue: queue, bell: bell)
  }

  /// Waits until there may be something to take. False at the end of the log, or if the task is
  /// cancelled.
  @usableFromInline
  final func waitForElement(as ticket: UInt64, isolation: isolated (any Actor)?) async -> Bool {
    guard lease.acquire(ticket) else { return false }
    let awakening = await sleep(as: ticket, isolation: isolation)
    if awakening != .gaveUp { lease.release(ticket) }
    return awakening == .lookAgain
  }

  /// Sleeps until there may be something to take. Requires the lease.
  final func sleep(as ticket: UInt64, isolation: isolated (any Actor)?) async -> Awakening {
    if !readsQueue, position?.advance() == true { return .lookAgain }
    // Whoever never has to wait makes no doorbell.
    if bell == nil, let awakening = Awakening(log.look(at: position, queue: queue)) {
      return awakening
    }
    let bell = liveBell()
    bell.prepare(for: ticket, onMainActor: isolation === MainActor.shared)
    if let awakening = Awakening(log.sleep(at: position, queue: queue, bell: bell)) {
      return awakening
    }
    lease.fallAsleep(ticket)
    return await bell.wait(isolation: isolation) ? .lookAgain : .gaveUp
  }

  /// Looks for elements after a take that found none, without waiting. Requires the lease.
  final func look() -> Look {
    if !readsQueue, position?.advance() == true { return .readable }
    return log.look(at: position, queue: queue)
  }

  /// A doorbell that can ring. A dead one leaves the line: nobody else does that for it.
  private final func liveBell() -> Doorbell {
    if let bell {
      if !bell.isDead { return bell }
      log.forget(bell)
    }
    let bell = Doorbell(of: self)
    self.bell = bell
    return bell
  }
}

/// How a sleep ended.
enum Awakening {
  /// There may be something to read. The lease is held.
  case lookAgain
  /// There is nothing to read, and never will be. The lease is held.
  case finished
  /// The task was cancelled, and the lease is gone: the cursor may already be another's.
  case gaveUp

  /// Nil if there is a reason to sleep.
  fileprivate init?(_ look: Look) {
    switch look {
    case .readable: self = .lookAgain
    case .finished: self = .finished
    case .nothing: return nil
    }
  }
}
