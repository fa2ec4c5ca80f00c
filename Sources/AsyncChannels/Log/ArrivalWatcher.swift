import Synchronization

/// Waits for what comes to a subscription to a log, and takes none of it: for a consumer that lets
/// elements lie until no more come.
///
/// It has a lease and a doorbell of its own, so it neither disturbs the subscription's consumer nor
/// notices a newer one: the consumer that it watches for finds that out when it takes.
///
/// `@unchecked Sendable`: for the reason that `Waiter` gives.
final class ArrivalWatcher: Waiter, @unchecked Sendable {
  /// Held, so that the segments that `seen` refers to are not freed and used anew.
  private let cursor: LogCursor
  private var seen: Arrivals

  init(of cursor: LogCursor) {
    self.cursor = cursor
    seen = cursor.arrivals
  }

  override var elementType: Any.Type { cursor.elementType }

  /// Readable each time that something has come since the last look.
  override func look(asks: Bool) -> Look {
    note(cursor.untypedLog.state.withLock { $0.look(since: seen, queue: cursor.untypedQueue) })
  }

  override func lookOrJoin(_ bell: Doorbell) -> Look {
    note(
      cursor.untypedLog.state.withLock {
        $0.lookOrJoin(since: seen, queue: cursor.untypedQueue, bell: bell)
      })
  }

  override func leaveQueue(_ bell: Doorbell) {
    cursor.untypedLog.leaveQueue(bell)
  }

  private func note(_ found: (look: Look, arrivals: Arrivals)) -> Look {
    seen = found.arrivals
    return found.look
  }
}

/// What had come to a subscription at some moment, taken or not. As long as nothing is taken, it
/// differs after each element that comes.
struct Arrivals: Equatable, Sendable {
  /// The end of the log, for a reader of it.
  fileprivate let segment: Segment?
  fileprivate let index: Int?
  /// What was added to a queue, and what the policy has dropped.
  fileprivate let offered: Int
}

extension LogCursor {
  var arrivals: Arrivals {
    untypedLog.state.withLock { $0.arrivals(in: untypedQueue) }
  }
}

extension LogState {
  fileprivate func arrivals(in queue: SubscriberQueueBase?) -> Arrivals {
    Arrivals(
      segment: end?.segment, index: end?.index,
      offered: queue.map { $0.count + $0.droppedCount } ?? 0)
  }

  fileprivate func look(
    since seen: Arrivals, queue: SubscriberQueueBase?
  ) -> (look: Look, arrivals: Arrivals) {
    let arrivals = arrivals(in: queue)
    return (arrivals != seen ? .readable : isFinished ? .finished : .nothing, arrivals)
  }

  /// The look, and joining the wait queue if nothing has come.
  fileprivate mutating func lookOrJoin(
    since seen: Arrivals, queue: SubscriberQueueBase?, bell: Doorbell
  ) -> (look: Look, arrivals: Arrivals) {
    let found = look(since: seen, queue: queue)
    if found.look == .nothing { waiting.join(bell) }
    return found
  }
}
