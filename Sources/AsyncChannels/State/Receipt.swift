import Synchronization

/// Whether all subscribers of a log have taken what was sent to it while a write was being sent.
///
/// It follows the log from before the write until all have taken it. Its lock is taken inside the
/// log's.
final class Receipt: LogObserver {
  private struct State {
    /// Whether the write is still being sent. It may send nothing.
    var isSending = true
    /// Whether something was sent, and where it is in the shared log.
    var isSent = false
    var slot: Int?
    /// How many of those that read that log have to take it.
    var remaining = 0
    /// Those that need not, or have.
    var others: Set<Int> = []

    /// A subscriber has taken it, or left. True if nobody is left who has to.
    mutating func leave(_ subscriber: Int) -> Bool {
      guard remaining > 0, others.insert(subscriber).inserted else { return false }
      remaining -= 1
      return remaining == 0 && !isSending
    }
  }

  private let log: BroadcastLogBase
  private let state = Locked(State())

  init(of log: BroadcastLogBase) {
    self.log = log
    log.attach(self)
  }

  var followsElements: Bool { true }

  /// A bounded subscriber has taken it when nothing waits for it.
  var isTaken: Bool {
    state.withLock { $0.remaining == 0 && ($0.isSent || !$0.isSending) } && log.queuesAreEmpty
  }

  func note(_ event: LogEvent) -> AfterLock? {
    let isOver = state.withLock { state in
      switch event {
      case .sent(let element) where state.isSending:
        (state.isSent, state.slot) = (true, element.slot)
        state.remaining = element.subscriberCount - element.queues.count
        state.others = Set(element.queues.map { $0.subscriber })
        return false
      case .subscribed(let subscriber, _, _, _):
        state.others.insert(subscriber)
        return false
      case .taken(let subscriber, let slot?) where slot >= state.slot ?? .max:
        return state.leave(subscriber)
      case .left(let subscriber, _): return state.leave(subscriber)
      default: return false
      }
    }
    return isOver ? AfterLock(end) : nil
  }

  /// To be called when the send has returned.
  func endSending() {
    let isOver = state.withLock { state in
      state.isSending = false
      return state.remaining == 0
    }
    if isOver { end() }
  }

  /// Nobody waits for it any more.
  func end() { log.detach(self) }
}
