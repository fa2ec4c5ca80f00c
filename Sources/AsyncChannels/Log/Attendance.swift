import Synchronization

/// What a log notes of its subscribers when somebody asks for it: how many there are, and which of
/// them have settled. Most logs have none.
///
/// **Settling.** A call of `settled()` has a number, and a *mark*: how many slots the log had then. It
/// waits for each subscriber that there was, until that one
/// - falls asleep, since it has found nothing any more then; or
/// - asks for an element behind the mark, which it does only when it has taken those before it; or
/// - leaves.
///
/// A subscriber is counted once for each call: it remembers the number of the last call that need not
/// wait for it (`LogCursor.attended`). One that joins later begins with the number of the last call
/// there was; one that sleeps when a call begins is given that call's number.
///
/// All of this is where consumers take the lock anyway. A consumer that finds its elements ready takes
/// them without the lock: it is asked when it goes on to the next segment, so at the latest 64 elements
/// later, and for a bounded one the fast path is closed meanwhile (`SubscriberQueueBase.watch`).
///
/// `@unchecked Sendable`: touched only under the log's lock.
@usableFromInline
final class Attendance: @unchecked Sendable {
  private var follower: (any CountFollower)?
  /// The count that the follower knows.
  private var known = 0
  /// How many calls of `settled()` there were.
  private(set) var lastNumber = 0
  /// In the order of their numbers, and so of their marks.
  private var waits: [SettleWait] = []

  var isSettling: Bool { !waits.isEmpty }

  /// Whether somebody waits for a subscriber that has attended to this.
  func isAwaited(_ attended: Int) -> Bool {
    isSettling && attended < lastNumber
  }

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

  /// - Parameters:
  ///   - attended: The subscriber's.
  ///   - remaining: How many there are now.
  func noteLeaving(attended: Int, remaining: Int) -> AttendanceNews? {
    var attended = attended
    let settled = noteAsking(&attended)
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

  /// - Parameters:
  ///   - count: How many subscribers there are.
  ///   - sleepers: Those of them that sleep have settled. Others that sleep are no subscribers, but
  ///     watch one.
  ///   - mark: How many slots the log has.
  /// - Returns: Nil if all have settled.
  func wait(for count: Int, asleep sleepers: Sleepers, upTo mark: Int) -> SettleWait? {
    lastNumber += 1
    var remaining = count
    sleepers.forEach { bell in
      guard let cursor = bell.waiter as? LogCursor else { return }
      cursor.attended = lastNumber
      remaining -= 1
    }
    if remaining == 0 { return nil }
    let wait = SettleWait(number: lastNumber, mark: mark, remaining: remaining)
    waits.append(wait)
    return wait
  }

  /// Ends a wait that was cancelled. Returns whether it had settled.
  func end(_ wait: SettleWait) -> Bool {
    waits.removeAll { $0 === wait }
    return wait.remaining == 0
  }

  /// A subscriber asks for more, having taken all before `position`, or all that there was when the call
  /// with this number began. Returns whose wait is over, or nil.
  func noteAsking(
    _ attended: inout Int, at position: Int = .max, upTo number: Int = .max
  ) -> Settled? {
    guard isAwaited(attended) else { return nil }
    var settled: Settled = []
    let isOver = { (wait: SettleWait) in wait.mark <= position && wait.number <= number }
    for wait in waits where wait.number > attended && isOver(wait) {
      wait.remaining -= 1
      if wait.remaining == 0 { settled.append(wait) }
    }
    attended = waits.last(where: isOver).map { max(attended, $0.number) } ?? attended
    if settled.isEmpty { return nil }
    waits.removeAll { $0.remaining == 0 }
    return settled
  }
}

/// A call of `settled()`.
///
/// `@unchecked Sendable`: `remaining` is touched only under the log's lock.
final class SettleWait: @unchecked Sendable {
  let number: Int
  let mark: Int
  /// How many subscribers it waits for.
  fileprivate(set) var remaining: Int
  let bell = Doorbell(for: nil)

  fileprivate init(number: Int, mark: Int, remaining: Int) {
    (self.number, self.mark, self.remaining) = (number, mark, remaining)
  }
}

/// The calls that are to return, once the lock is released.
typealias Settled = [SettleWait]

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
  /// With no lock and no lease held: the follower may call code of a user.
  @usableFromInline
  final func tell(_ news: AttendanceNews) {
    if let settled = news.settled { ring(settled) }
    if let wake = news.wake { news.follower?.tell(wake) }
    if news.isEnd { news.follower?.finish() }
  }

  /// Rings in a task of its own: a consumer that falls asleep has its lease now, and a ring runs code of
  /// the executor of the caller that waits.
  final func ring(_ settled: Settled) {
    Task.detached {
      for wait in settled { wait.bell.ring() }
    }
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

  /// Returns when each subscriber there is has taken what there is and asks for more, or has left.
  /// False if the log is finished, or the task cancelled, before that.
  final func settled(isolation: isolated (any Actor)?) async -> Bool {
    if Task.isCancelled { return false }
    let (wait, isFinished) = state.withLock { state -> (SettleWait?, Bool) in
      if state.isFinished { return (nil, true) }
      let wait = state.beginToSettle()
      if wait != nil { isSettling.store(true, ordering: .relaxed) }
      return (wait, false)
    }
    guard let wait else { return !isFinished }
    await wait.bell.wait(isolation: isolation)
    return state.withLock { state in
      let attendance = state.makeAttendance()
      defer { isSettling.store(attendance.isSettling, ordering: .relaxed) }
      return attendance.end(wait)
    }
  }
}
