public import Synchronization

/// The elements of a channel and the line of those who wait for more, behind one lock.
///
/// The lock serializes writers, and gives the one order that all subscribers see. No element is
/// destroyed, no task resumed and no code of a user run while it is held: what is left to do is
/// returned.
///
/// - Unbounded subscribers read a shared list of segments without the lock (see `Segment`). An
///   element is stored once, with the number of readers that owe it a read.
/// - Bounded subscribers each have a queue that senders fill.
/// - The replay window is copied to each new subscriber as it joins: what is in it was sent
///   before, what is sent later arrives by the log. There is no seam to fall into.
///
/// This is the part that does not depend on the element; `BroadcastLog` is the rest.
@usableFromInline
class AnyBroadcastLog: @unchecked Sendable {
  @usableFromInline final let state = Locked(LogState())

  deinit {
    // Every cursor holds the log, so there is no reader left: the tail has no element.
    state.withLock { $0.end }?.segment.release()
  }

  final var subscriberCount: Int { state.withLock { $0.subscriberCount } }

  /// How many doorbells wait to be rung.
  final var sleeperCount: Int { state.withLock { $0.sleeperCount } }

  /// Stops counting a subscriber, and returns the log's end as it was then. Slots written before
  /// include this reader in their counts, later ones do not. They stay alive for as long as it
  /// holds the segment that it reads.
  final func leave(readsLog: Bool, queue: AnySubscriberQueue?, bell: Doorbell?) -> LogEnd? {
    state.withLock { $0.leave(readsLog: readsLog, queue: queue, bell: bell) }
  }

  final func droppedCount(of queue: AnySubscriberQueue) -> Int {
    state.withLock { _ in queue.droppedCount }
  }

  /// The second look and the joining of the sleepers, in one step with respect to `append` and
  /// `finish`: what was appended before is seen, and who appends later finds the sleeper. So no
  /// wake-up is lost, and no flag protocol is needed.
  final func sleep(
    at position: Position?, queue: AnySubscriberQueue?, bell: Doorbell
  ) -> Look {
    state.withLock { $0.sleep(at: position, queue: queue, bell: bell) }
  }

  /// The same look without the sleep.
  final func look(at position: Position?, queue: AnySubscriberQueue?) -> Look {
    state.withLock { $0.look(at: position, queue: queue) }
  }

  /// The doorbell of a consumer that was cancelled or displaced: it need not be rung any more.
  final func forget(_ bell: Doorbell) {
    state.withLock { $0.forget(bell) }
  }

  /// For the actor: all that is due, or nil if there is nothing and the actor is to stop.
  final func takeDue() -> Sleepers? {
    state.withLock { $0.takeDue() }
  }
}

/// See `AnyBroadcastLog`. `@unchecked Sendable`, both: the fields are constant, and what they refer
/// to is touched only under the lock.
@usableFromInline
final class BroadcastLog<Element: Sendable>: AnyBroadcastLog, @unchecked Sendable {
  /// Nil for a channel that replays nothing.
  @usableFromInline let window: ReplayWindow<Element>?

  init(replaying count: Int) {
    window = count > 0 ? ReplayWindow(limit: count) : nil
  }

  /// The newest element of the replay window, which must have one.
  @inlinable
  var newest: Element {
    state.withLock { _ in nonEmptyWindow.newest }
  }

  /// The same, and which one it is, counted from 1.
  func newest(number: inout Int) -> Element {
    state.withLock { _ in
      number = nonEmptyWindow.total
      return nonEmptyWindow.newest
    }
  }

  @inlinable
  var nonEmptyWindow: ReplayWindow<Element> {
    guard let window else { preconditionFailure("A log that replays nothing has no newest.") }
    return window
  }

  /// Appends for everybody who is subscribed now, unless the log is finished.
  ///
  /// - Parameter displaced: Gets what there is no room for any more, to be released by a caller that
  ///   holds no lock.
  /// - Returns: How many that were, or nil if the log is finished; and whom to ring.
  @inlinable
  func append(
    _ element: Element, replayed: Bool, displacing displaced: inout Displaced<Element>
  ) -> (subscribers: Int?, wake: Wake) {
    state.withLock { state in
      guard !state.isFinished else { return (nil, .nobody) }
      if state.readers > 0 { state.appendSlot(element) }
      if !state.queues.isEmpty { fill(state.queues, with: element, displacing: &displaced) }
      if replayed, let window { window.slide(adding: element, displacing: &displaced) }
      return (state.subscriberCount, state.takeSleepers())
    }
  }

  /// - Parameter queues: This log's, which are all made in `join`.
  @usableFromInline
  func fill(
    _ queues: ContiguousArray<AnySubscriberQueue>, with element: Element,
    displacing displaced: inout Displaced<Element>
  ) {
    for queue in queues {
      unsafeDowncast(queue, to: SubscriberQueue<Element>.self)
        .offer(element, displacing: &displaced)
    }
  }

  /// Ends the log. The replay window goes, unless the newest element is still to be read.
  func finish(keepingNewest: Bool) -> Wake {
    var replayed = Backlog<Element>()
    let wake: Wake = state.withLock { state in
      if !keepingNewest, let window { replayed = window.takeAll() }
      return state.finish() ? state.takeSleepers() : .nobody
    }
    _ = consume replayed  // destroyed here: after unlocking
    return wake
  }

  /// Takes a place at the log's end, behind the replay window.
  ///
  /// - Returns: A position for an unbounded subscriber, a queue for a bounded one and for what is
  ///   replayed, which is to be read first; neither after the end.
  @inlinable
  func join(_ policy: BufferingPolicy) -> (position: Position?, queue: SubscriberQueue<Element>?) {
    let isBounded = policy != .unbounded
    let queue = isBounded || window != nil ? SubscriberQueue<Element>(policy: policy) : nil
    var displaced = Displaced<Element>()
    return state.withLock { state in
      guard !state.isFinished else { return (nil, nil) }
      if let queue { window?.forEach { queue.offer($0, displacing: &displaced) } }
      if isBounded, let queue {
        state.addQueue(queue)
        return (nil, queue)
      }
      return (state.addReader(of: Element.self), queue)
    }
  }

  /// Takes the first element of a queue.
  @usableFromInline
  func popFirst(of queue: SubscriberQueue<Element>) -> Element? {
    state.withLock { _ in queue.popFirst() }
  }
}
