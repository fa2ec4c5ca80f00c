import AsyncChannels
import Synchronization

/// What a call of `waitUntilSettled()` waits for in one log: that each subscriber that there was when it began has
/// taken all that there was and asks for more, or has left.
///
/// For a reader of the log, what it has to have taken is a *mark*, how many slots there were; for a bounded
/// one, how much has left its queue when all has left it that was in it. So both compare two numbers when a
/// consumer asks. Those that sleep when the call begins have settled, and nobody waits for a probe. A subscriber that
/// joins later has a higher number.
final class SettleWait: LogObserver {
  let log: BroadcastLogBase
  private let rings: AsyncStream<Void>.Continuation
  private let state = Locked(State())

  private struct State {
    /// How many subscribers it waits for.
    var remaining = 0
    /// Nil until it is known.
    var hasSettled: Bool?
    /// Those that were heard of, so that each is counted once.
    var heard: Set<Int> = []
    var newest = 0
    var mark = 0
    var marks: [Int: Int] = [:]
  }

  init(in log: BroadcastLogBase, ringing rings: AsyncStream<Void>.Continuation) {
    (self.log, self.rings) = (log, rings)
  }

  /// False if the log was finished before that, nil if neither is so yet.
  var hasSettled: Bool? { state.withLock { $0.hasSettled } }

  /// How many subscribers it waits for; nil if it is over.
  var remaining: Int? { state.withLock { $0.hasSettled == nil ? $0.remaining : nil } }

  var followsElements: Bool { true }

  func note(_ event: LogEvent) -> AfterLock? {
    let isOver =
      switch event {
      case .attached(let picture): begin(picture)
      case .demanded(let demand):
        hear(of: demand.subscriber) { state in
          guard !demand.isEmptyHanded, let progress = demand.progress else { return true }
          return progress >= state.marks[demand.subscriber] ?? state.mark
        }
      case .left(let subscriber, _): hear(of: subscriber) { _ in true }
      case .finished: end()
      default: false
      }
    return isOver ? AfterLock(ring) : nil
  }

  /// In a task of its own: a consumer that falls asleep has its lock now, and a ring runs code of the
  /// executor of the caller that waits.
  private func ring() {
    Task.detached { [rings] in rings.yield() }
  }

  private func begin(_ picture: LogPicture) -> Bool {
    let onlookers = Onlookers.numbers(in: log)
    state.withLock { state in
      (state.newest, state.mark) = (picture.newest, picture.end)
      for queue in picture.queues { state.marks[queue.subscriber] = queue.departed + queue.count }
      state.heard = onlookers.union(picture.asleep)
      state.remaining = picture.subscriberCount - state.heard.count
      if picture.isFinished { state.hasSettled = false }
      if state.hasSettled == nil, state.remaining == 0 { state.hasSettled = true }
    }
    // The caller has yet to look.
    return false
  }

  /// - Parameter isOver: Whether it need not be waited for any more.
  /// - Returns: Whether that is so of all now.
  private func hear(of subscriber: Int, where isOver: (borrowing State) -> Bool) -> Bool {
    state.withLock { state in
      guard state.hasSettled == nil, subscriber <= state.newest, !state.heard.contains(subscriber),
        isOver(state)
      else { return false }
      state.heard.insert(subscriber)
      state.remaining -= 1
      if state.remaining == 0 { state.hasSettled = true }
      return state.remaining == 0
    }
  }

  private func end() -> Bool {
    state.withLock { state in
      if state.hasSettled != nil { return false }
      state.hasSettled = false
      return true
    }
  }
}
