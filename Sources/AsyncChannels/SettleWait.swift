import Synchronization

/// What a call of `settled()` waits for in one log: that each subscriber that there was when it began has
/// taken all that there was and asks for more, or has left.
///
/// For a reader of the log, what it has to have taken is a *mark*, how many slots there were; for a bounded
/// one, how much has left its queue when all has left it that was in it. So both compare two numbers when a
/// consumer asks.
///
/// Those that sleep when the call begins have settled. The call does not visit them: each is told from others
/// when it asks again, by when it slept. One that joins later has a higher number.
package final class SettleWait: LogObserver {
  /// Those of the calls that wait, by the number of the task.
  fileprivate static let all = Locked<[UInt64: [(log: BroadcastLogBase, wait: SettleWait)]]>([:])

  let bell: Doorbell
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
    var beginning: WaitQueue.Moment?
  }

  init(ringing bell: Doorbell) {
    self.bell = bell
  }

  /// False if the log was finished before that, nil if neither is so yet.
  var hasSettled: Bool? { state.withLock { $0.hasSettled } }

  /// For whom a task waits, for the report of a test that would wait for ever.
  package static func all(of task: UInt64) -> [(log: BroadcastLogBase, wait: SettleWait)] {
    all.withLock { $0[task] ?? [] }
  }

  /// How many subscribers it waits for; nil if it is over.
  package var remaining: Int? { state.withLock { $0.hasSettled == nil ? $0.remaining : nil } }

  package var followsElements: Bool { true }

  package func note(_ event: LogEvent) -> AfterLock? {
    let isOver =
      switch event {
      case .attached(let log): begin(log)
      case .asked(let asking):
        hear(of: asking.subscriber, after: asking.sleep) { state in
          guard !asking.isEmptyHanded, let progress = asking.progress else { return true }
          return progress >= state.marks[asking.subscriber] ?? state.mark
        }
      case .left(let subscriber, let sleep, _): hear(of: subscriber, after: sleep) { _ in true }
      case .finished: end()
      default: false
      }
    return isOver ? AfterLock(ring) : nil
  }

  /// In a task of its own: a consumer that falls asleep has its lock now, and a ring runs code of the
  /// executor of the caller that waits.
  private func ring() {
    Task.detached { [bell] in bell.ring() }
  }

  private func begin(_ log: LogPicture) -> Bool {
    state.withLock { state in
      (state.newest, state.mark, state.beginning) = (log.newest, log.end, log.asleep.at)
      for queue in log.queues { state.marks[queue.subscriber] = queue.departed + queue.count }
      state.heard = log.onlookers
      state.remaining = log.subscriberCount - log.asleep.count - log.onlookers.count
      if log.isFinished { state.hasSettled = false }
      if state.hasSettled == nil, state.remaining == 0 { state.hasSettled = true }
    }
    // The caller has yet to look.
    return false
  }

  /// - Parameter isOver: Whether it need not be waited for any more.
  /// - Returns: Whether that is so of all now.
  private func hear(
    of subscriber: Int, after sleep: Sleep, where isOver: (borrowing State) -> Bool
  ) -> Bool {
    state.withLock { state in
      guard state.hasSettled == nil, subscriber <= state.newest,
        !state.heard.contains(subscriber), let beginning = state.beginning
      else { return false }
      let hasSlept = sleep.contains(beginning)
      guard hasSlept || isOver(state) else { return false }
      state.heard.insert(subscriber)
      if hasSlept { return false }
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

extension BroadcastLogBase {
  /// Returns when each subscriber there is of these logs has taken what there is and asks for more, or
  /// has left. False if one of the logs is finished, or the task cancelled, before that.
  ///
  /// All waits begin now, so that nobody is waited for who comes while another log settles, and have one
  /// doorbell, so that the end of any of them is heard.
  static func settled(
    _ logs: [BroadcastLogBase], isolation: isolated (any Actor)?
  ) async -> Bool {
    if Task.isCancelled { return false }
    let bell = Doorbell(ofSubscriber: false)
    let waits = logs.map { log in (log: log, wait: SettleWait(ringing: bell)) }
    for (log, wait) in waits { log.attach(wait) }
    let task = CurrentTask.number ?? 0
    SettleWait.all.withLock { $0[task] = waits.map { ($0.log, $0.wait) } }
    defer {
      SettleWait.all.withLock { $0[task] = nil }
      for (log, wait) in waits { log.detach(wait) }
    }
    while true {
      let results = waits.map { $0.wait.hasSettled }
      if results.contains(false) { return false }
      if !results.contains(nil) { return true }
      if Task.isCancelled { return false }
      await bell.wait(isolation: isolation)
    }
  }
}
