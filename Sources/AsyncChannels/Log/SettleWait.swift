import Synchronization

/// What a call of `settled()` waits for in one log: that each subscriber there was has taken all that
/// there was.
///
/// For a reader of the log that is a *mark*, how many slots there were; for a bounded one, how many
/// elements have left its queue by then. So both compare two numbers when a consumer asks for more, and
/// the marks of later calls are not lower.
///
/// `@unchecked Sendable`: `remaining` is touched only under the log's lock.
final class SettleWait: @unchecked Sendable {
  let number: Int
  /// That of the wait queue when the call began.
  let generation: UInt64
  /// How many subscribers it waits for.
  var remaining: Int
  let bell: Doorbell
  private let mark: Int
  /// Of each queue, the `departures` when all that was in it has left it.
  private let departures: [ObjectIdentifier: Int]

  /// - Parameters:
  ///   - end: How many slots the log has.
  ///   - queues: Those of the bounded subscribers.
  init(
    number: Int, remaining: Int, generation: UInt64, upTo end: Int,
    in queues: ContiguousArray<SubscriberQueueBase>, ringing bell: Doorbell
  ) {
    (self.number, self.remaining, self.bell) = (number, remaining, bell)
    self.generation = generation
    mark = end
    departures = Dictionary(
      uniqueKeysWithValues: queues.map { (ObjectIdentifier($0), $0.departures + $0.count) })
  }

  /// Whether a subscriber that asks for more, and finds something, has taken all that there was.
  func isOver(for cursor: LogCursor) -> Bool {
    if let number = cursor.position.number { return number >= mark }
    guard let queue = cursor.untypedQueue, let last = departures[ObjectIdentifier(queue)]
    else { return true }
    return queue.departures >= last
  }
}

/// The calls that are to look whether they can return, once the lock is released.
typealias Settled = [SettleWait]

extension BroadcastLogBase {
  /// Rings in a task of its own: a consumer that falls asleep has its lock now, and a ring runs code of
  /// the executor of the caller that waits.
  final func ring(_ settled: Settled) {
    Task.detached {
      for wait in settled { wait.bell.ring() }
    }
  }

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
    let waits = logs.map { (log: $0, wait: $0.beginToSettle(ringing: bell)) }
    defer { for (log, wait) in waits { log.endSettling(wait) } }
    while true {
      let results = waits.map { log, wait in log.hasSettled(wait) }
      if results.contains(false) { return false }
      if !results.contains(nil) { return true }
      if Task.isCancelled { return false }
      await bell.wait(isolation: isolation)
    }
  }

  /// Begins to wait until all that are subscribed have taken what there is and ask for more. Nil if the
  /// log is finished.
  final func beginToSettle(ringing bell: Doorbell) -> SettleWait? {
    state.withLock { state in
      if state.isFinished { return nil }
      isSettling.store(true, ordering: .relaxed)
      for queue in state.queues { queue.isWatched = true }
      return state.makeAttendance().wait(
        for: state.subscriberCount, asleep: state.waiting, in: state.queues,
        upTo: state.end?.number ?? 0, ringing: bell)
    }
  }

  /// False if the log was finished before that, nil if neither is so yet.
  private final func hasSettled(_ wait: SettleWait?) -> Bool? {
    guard let wait else { return false }
    return state.withLock { state in
      if wait.remaining == 0 { return true }
      return state.isFinished ? false : nil
    }
  }

  final func endSettling(_ wait: SettleWait?) {
    guard let wait else { return }
    state.withLock { state in
      state.attendance?.end(wait)
      if let attendance = state.attendance, attendance.waitCount > 0 { return }
      for queue in state.queues { queue.isWatched = false }
      isSettling.store(false, ordering: .relaxed)
    }
  }
}
