import Synchronization

/// Waits for what comes to a subscription to a log, and takes none of it: for a consumer that lets
/// elements lie until no more come.
///
/// It has a lock and a doorbell of its own, so it neither disturbs the subscription's consumer nor
/// notices a newer one: the consumer that it watches for finds that out when it takes.
///
/// `@unchecked Sendable`: for the reason that `Waiter` gives.
final class ArrivalWatcher: Waiter, @unchecked Sendable {
  private let cursor: LogCursor
  private var seen: Arrivals

  init(of cursor: LogCursor) {
    self.cursor = cursor
    seen = cursor.untypedLog.state.withLock { $0.arrivals(in: cursor.untypedQueue) }
  }

  override var elementType: Any.Type { cursor.elementType }

  override var isSubscriber: Bool { false }

  /// Readable each time that something has come since the last look.
  override func poll(asks: Bool, orJoinWith bell: Doorbell?) -> PollResult {
    cursor.untypedLog.state.withLock { state in
      let arrivals = state.arrivals(in: cursor.untypedQueue)
      if exchange(&seen, with: arrivals) != arrivals { return .readable }
      if state.isFinished { return .finished }
      if let bell { state.waiting.join(bell) }
      return .nothing
    }
  }

  override var hasMore: Bool {
    cursor.untypedLog.state.withLock { $0.arrivals(in: cursor.untypedQueue) != seen }
  }

  override func leaveQueue(_ bell: Doorbell) -> Bool {
    cursor.untypedLog.state.withLock { $0.waiting.leave(bell) }
  }
}

/// What had come to a subscription at some moment, taken or not. As long as nothing is taken, it
/// differs after each element that comes.
private struct Arrivals: Equatable {
  /// How many slots the log has.
  let inLog: Int
  /// What was added to a queue, and what the policy has dropped.
  let offered: Int
}

extension LogState {
  fileprivate func arrivals(in queue: SubscriberQueueBase?) -> Arrivals {
    Arrivals(inLog: end?.number ?? 0, offered: queue.map { $0.count + $0.droppedCount } ?? 0)
  }
}
