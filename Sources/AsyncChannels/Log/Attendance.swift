import Synchronization

/// What a log notes of its subscribers when somebody asks for it: how many there are, and which of
/// them have settled. Most logs have none.
///
/// **Settling.** A call of `settled()` has a number. It waits for each subscriber that there was (see
/// `SettleWait`), until that one has taken all that there was and *asks for more*, or leaves.
///
/// A consumer asks at the beginning of a step: wherever it may fall asleep, and where it takes on the
/// terms `next`. What it gathers within a step is no question, since it has not worked on the step's
/// first element yet.
///
/// A subscriber is counted once for each call: it remembers the number of the last call that need not
/// wait for it (`Attended`). One that joins later begins with the number of the last call there was. A
/// call does not wait for those that sleep when it begins, and does not visit them: each of them
/// finds out when it asks again, by when it fell asleep.
///
/// All of this is where consumers take the lock anyway. A consumer that finds its elements ready takes
/// them without the lock: it is heard of when it goes on to the next segment, so at the latest 64
/// elements later. For a bounded one the fast path is closed meanwhile (`SubscriberQueueBase.floor`).
///
/// `@unchecked Sendable`: touched only under the log's lock.
@usableFromInline
final class Attendance: @unchecked Sendable {
  private var follower: (any CountFollower)?
  /// The count that the follower knows.
  private var known = 0
  /// How many calls of `settled()` there were.
  private(set) var lastNumber = 0
  /// How many subscribers no call waits for.
  private var excusedCount = 0
  /// In the order of their numbers, and so of their marks.
  private var waits: [SettleWait] = []

  /// How many calls of `settled()` wait.
  var waitCount: Int { waits.count }

  /// - Parameter count: How many there are now.
  func follow<Follower: CountFollower>(
    _ count: Int, by makeFollower: (Int) -> Follower
  ) -> Follower {
    if let follower = follower as? Follower { return follower }
    let made = makeFollower(count)
    (follower, known) = (made, count)
    return made
  }

  /// Nil if there is nothing to tell.
  func noteCount(_ count: Int) -> AttendanceNews? {
    guard let follower, count != known else { return nil }
    known = count
    return AttendanceNews(follower: follower, wake: follower.note(count))
  }

  /// - Parameter remaining: How many there are now.
  func noteLeaving(_ attended: Attended, remaining: Int) -> AttendanceNews? {
    var attended = attended
    if attended.isExcused { excusedCount -= 1 }
    let settled = settle(from: &attended) { _ in true }
    let count = noteCount(remaining)
    guard settled != nil else { return count }
    return AttendanceNews(
      follower: count?.follower, wake: count?.wake, settled: settled)
  }

  /// Nobody settles any more, and there are no subscribers.
  func noteEnd() -> AttendanceNews {
    let wake = noteCount(0)?.wake
    defer { waits = [] }
    return AttendanceNews(
      follower: follower, wake: wake, settled: waits.isEmpty ? nil : waits, isEnd: true)
  }

  /// From now on no call waits for this subscriber, which counts as one that need not be waited for.
  func excuse(_ attended: inout Attended) {
    attended.excuse()
    excusedCount += 1
  }

  /// - Parameters:
  ///   - count: How many subscribers there are.
  ///   - sleepers: The log's. Those of them that are subscribers have settled.
  ///   - queues: Those of the bounded ones.
  ///   - end: How many slots the log has.
  func wait(
    for count: Int, asleep sleepers: borrowing WaitQueue,
    in queues: ContiguousArray<SubscriberQueueBase>, upTo end: Int, ringing bell: Doorbell
  ) -> SettleWait {
    lastNumber += 1
    let wait = SettleWait(
      number: lastNumber, remaining: count - excusedCount - sleepers.subscriberCount,
      generation: sleepers.generation, upTo: end, in: queues, ringing: bell)
    if wait.remaining > 0 { waits.append(wait) }
    return wait
  }

  /// Ends a wait that has settled, or was cancelled.
  func end(_ wait: SettleWait) {
    waits.removeAll { $0 === wait }
  }

  /// A subscriber asks for more. Returns whose wait is over, or nil.
  ///
  /// - Parameter look: What it finds.
  func noteAsking(_ cursor: LogCursor, finding look: Look) -> Settled? {
    settle(from: &cursor.attended) { look == .nothing || $0.isOver(for: cursor) }
  }

  /// - Parameters:
  ///   - attended: A subscriber's.
  ///   - isOver: Whether it need not be waited for any more. If not, later calls wait for it, too.
  private func settle(
    from attended: inout Attended, where isOver: (SettleWait) -> Bool
  ) -> Settled? {
    var settled: Settled = []
    for wait in waits where wait.number > attended.number {
      if attended.hasSlept(through: wait) {
        attended.number = wait.number
        continue
      }
      guard isOver(wait) else { break }
      attended.number = wait.number
      wait.remaining -= 1
      if wait.remaining == 0 { settled.append(wait) }
    }
    if settled.isEmpty { return nil }
    waits.removeAll { $0.remaining == 0 }
    return settled
  }
}

/// What a log remembers of a subscriber for `settled()`.
struct Attended: Sendable {
  /// The number of the last call that need not wait for it.
  var number: Int
  /// The generation of the wait queue that it joined last, and the number of the last call there was then.
  private var sleep: (generation: UInt64, after: Int) = (0, 0)

  init(upTo number: Int) {
    self.number = number
  }

  /// Whether no call waits for it: it is an onlooker, a test's probe.
  var isExcused: Bool { number == .max }

  fileprivate mutating func excuse() { number = .max }

  mutating func fallAsleep(in generation: UInt64, after number: Int) {
    sleep = (generation, number)
  }

  /// It has left the queue while the others stay: so it has slept through all calls there were.
  mutating func wake(after number: Int) {
    if !isExcused { self.number = number }
    sleep = (0, 0)
  }

  /// Whether it slept when the call began: it had joined a queue before that, and nobody had taken
  /// that queue.
  func hasSlept(through wait: SettleWait) -> Bool {
    sleep.generation == wait.generation && sleep.after < wait.number
  }
}

/// Is told of each change of the number of subscribers.
protocol CountFollower: AnyObject, Sendable {
  /// Stores it. Called under the log's lock: so in order, and what there is to wake is returned.
  func note(_ count: Int) -> Wake
  /// Wakes, with no lock held.
  func tell(_ wake: Wake)
  func finish()
}

/// What is to be told once the lock is released. An object, since there is hardly ever one.
@usableFromInline
final class AttendanceNews: Sendable {
  let follower: (any CountFollower)?
  /// Nil if the count has not changed.
  let wake: Wake?
  let settled: Settled?
  let isEnd: Bool

  init(
    follower: (any CountFollower)?, wake: Wake?, settled: Settled? = nil, isEnd: Bool = false
  ) {
    (self.follower, self.wake, self.settled, self.isEnd) = (follower, wake, settled, isEnd)
  }
}

extension BroadcastLogBase {
  /// With no lock held: the follower may call code of a user.
  @usableFromInline
  final func tell(_ news: AttendanceNews) {
    if let settled = news.settled { ring(settled) }
    if let wake = news.wake { news.follower?.tell(wake) }
    if news.isEnd { news.follower?.finish() }
  }

  final func follow<Follower: CountFollower>(
    by makeFollower: (Int) -> Follower
  ) -> Follower {
    let (follower, isFinished) = state.withLock { state in
      (
        state.makeAttendance().follow(state.subscriberCount, by: makeFollower), state.isFinished
      )
    }
    if isFinished { follower.finish() }
    return follower
  }
}
