import Synchronization

/// Waits for what comes to a subscription to a log, and takes none of it: for a consumer that lets
/// elements lie until no more come.
///
/// It has a lock and a doorbell of its own, so it neither disturbs the subscription's consumer nor
/// notices a newer one: the consumer that it watches for finds that out when it takes.
///
/// `@unchecked Sendable`: for the reason that `Waiter` gives.
package final class ArrivalWatcher: Waiter, @unchecked Sendable {
  private let cursor: LogCursor
  private var seen: Int

  init(of cursor: LogCursor) {
    self.cursor = cursor
    seen = cursor.untypedLog.state.withLock { $0.arrivals(in: cursor.untypedQueue) }
    super.init(subscriber: 0)
  }

  override var elementType: Any.Type { cursor.elementType }

  /// Readable each time that something has come since the last look.
  override func poll(demands: Bool, orJoinWith bell: Doorbell?) -> PollResult {
    cursor.untypedLog.state.withLock { state in
      let arrivals = state.arrivals(in: cursor.untypedQueue)
      if exchange(&seen, with: arrivals) != arrivals { return .readable }
      if state.isFinished { return .finished }
      if let bell { state.waiting.join(bell) }
      return .nothing
    }
  }

  package var hasMore: Bool {
    cursor.untypedLog.state.withLock { $0.arrivals(in: cursor.untypedQueue) != seen }
  }

  override func leaveQueue(_ bell: Doorbell) {
    cursor.untypedLog.state.withLock { _ = $0.waiting.leave(bell) }
  }
}

extension Waiter {
  /// Watchers, one for each log: each waits for what comes from now on and takes nothing.
  package final func makeWatchers() -> [ArrivalWatcher] {
    parts.compactMap { ($0 as? LogCursor).map(ArrivalWatcher.init) }
  }
}

extension LogState {
  /// How many elements have come to a subscription, taken or not: slots of the log, or what was offered to a
  /// queue.
  fileprivate func arrivals(in queue: SubscriberQueueBase?) -> Int {
    queue?.offeredCount ?? end?.number ?? 0
  }
}
