public import Synchronization

/// The elements of a channel and the queue of the consumers that wait for more, behind one lock.
///
/// The lock serializes writers, and gives the one order that all subscribers see. No element is
/// destroyed, no task resumed and no code of a user run while it is held: what is left to do is
/// returned.
///
/// - Unbounded subscribers read a shared list of segments without the lock (see `Segment`). An
///   element is stored once, with the number of readers that owe it a read.
/// - Bounded subscribers each have a queue that senders fill.
/// - The replay window is copied to each new subscriber under the lock, as it joins: what is in the
///   window was sent before, and what is sent later arrives by the log. So at the seam nothing is
///   lost or repeated.
///
/// This is the part that does not depend on the element; `BroadcastLog` is the rest.
@usableFromInline
class BroadcastLogBase: @unchecked Sendable {
  @usableFromInline final let state = Locked(LogState())
  /// Whether `state` has taps, for a consumer that looks without the lock. Written under the lock.
  /// Relaxed: it leads to the slower path, which looks under the lock.
  @usableFromInline final let isRecorded = Atomic(false)
  /// Whether somebody waits until the subscribers have settled: what `Attendance` knows, for a consumer
  /// that looks without the lock. Written under the lock.
  final let isSettling = Atomic(false)

  @usableFromInline
  init() {}

  deinit {
    // Every cursor holds the log, so there is no reader left: the tail has no element.
    state.withLock { $0.end }?.segment.release()
  }

  /// How many elements a new subscriber gets. With the lock held.
  var replayedCount: Int { 0 }

  /// What is kept for the first subscriber.
  var keptQueue: SubscriberQueueBase? { nil }

  final var subscriberCount: Int { state.withLock { $0.subscriberCount } }

  /// Counts all reads from now on, so that `isFullyTaken` is right.
  final func countAll() { state.withLock { $0.countsAll = true } }

  /// Whether every subscriber has taken all that was sent since `countAll`.
  final var isFullyTaken: Bool { state.withLock { $0.isFullyTaken } }

  /// How many doorbells wait to be rung.
  final var sleeperCount: Int { state.withLock { $0.sleeperCount } }

  /// Stops counting a subscriber, and returns the log's end as it was then. Slots written before
  /// include this reader in their counts, later ones do not. They stay alive for as long as it
  /// holds the segment that it reads.
  ///
  /// - Parameter attended: See `LogCursor`.
  final func unsubscribe(
    readsLog: Bool, queue: SubscriberQueueBase?, attended: Int
  ) -> LogEnd? {
    var news: AttendanceNews?
    let end = state.withLock { state in
      let end = state.unsubscribe(readsLog: readsLog, queue: queue)
      news = state.attendance?.noteLeaving(attended: attended, remaining: state.subscriberCount)
      return end
    }
    if let news { tell(news) }
    return end
  }

  /// A look of a consumer. If there is nothing and a doorbell is given, the doorbell joins the wait queue, in
  /// one step with respect to `append` and `finish`: what was appended before is seen, and a sender that appends
  /// later finds the sleeper. So no wake-up is lost, and no protocol of flags is needed.
  ///
  /// - Parameters:
  ///   - cursor: Whose position and queue this is. Requires its lease.
  ///   - asks: Whether the consumer asks for more, having worked on all that it took, so that this is
  ///     noted.
  final func look(for cursor: LogCursor, asks: Bool, orJoinWith bell: Doorbell?) -> Look {
    let (look, settled) = state.withLock { state in
      let look = state.look(
        at: cursor.position, queue: cursor.untypedQueue, orJoinWith: bell)
      return (look, asks ? state.attendance?.noteAsking(cursor, finding: look) : nil)
    }
    if let settled { ring(settled) }
    return look
  }

  /// Notes that a consumer asks for more that has found an element without the lock.
  ///
  /// `isSettling` was true for it. It cannot have missed that: the flag is written under the lock before
  /// the elements behind the mark are, and these are published with release.
  final func noteAsking(for cursor: LogCursor) {
    let settled = state.withLock { $0.attendance?.noteAsking(cursor, finding: .readable) }
    if let settled { ring(settled) }
  }

  /// Takes out the doorbell of a consumer that was cancelled or displaced.
  final func leaveQueue(_ bell: Doorbell) {
    state.withLock { $0.waiting.leave(bell) }
  }

  private final func takeDue() -> Sleepers? {
    state.withLock { $0.takeDue() }
  }

  @inlinable
  final func perform(_ wake: Wake) {
    if case .nobody = wake { return }
    ring(wake)
  }

  @usableFromInline
  final func ring(_ wake: Wake) {
    switch wake {
    case .nobody:
      break
    case .directly(let first):
      var sleepers = Sleepers(from: first)
      sleepers.ringAll()
    case .throughActor(let waker):
      // A send is synchronous, and a call of an actor is not: hence a task. It is detached, since
      // the readers must not inherit anything of the sender's task. Its priority is the sender's,
      // since a thread of that priority is awake, but at least medium: the readers may be more
      // urgent than the sender.
      let priority = max(Task.currentPriority, .medium)
      Task.detached(priority: priority) { await waker.ring { self.takeDue() } }
    }
  }
}
