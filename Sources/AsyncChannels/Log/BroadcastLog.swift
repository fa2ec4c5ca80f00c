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
class BroadcastLogBase: DueSleepers, @unchecked Sendable {
  @usableFromInline final let state = Locked(LogState())
  /// Whether `state` has taps. Relaxed: who is watching is known with the lock; without it, this
  /// leads to the slower path that looks.
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
  final func countAll() { state.withLock { $0.countAll() } }

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

  final func droppedCount(of queue: SubscriberQueueBase) -> Int {
    state.withLock { _ in queue.droppedCount }
  }

  /// The second look and joining the queue, in one step with respect to `append` and `finish`: what
  /// was appended before is seen, and a sender that appends later finds the sleeper. So no wake-up
  /// is lost, and no protocol of flags is needed.
  ///
  /// - Parameter cursor: Whose position and queue this is. It is noted that it asks for more.
  final func lookOrJoin(
    at position: Position?, queue: SubscriberQueueBase?, bell: Doorbell, for cursor: LogCursor
  ) -> Look {
    let (look, settled) = state.withLock { state in
      let look = state.lookOrJoin(at: position, queue: queue, bell: bell)
      return (look, look == .nothing ? state.attendance?.noteAsking(&cursor.attended) : nil)
    }
    if let settled { ring(settled) }
    return look
  }

  /// Notes that a consumer that need not sleep asks for the element at a position.
  ///
  /// `isSettling` was true for it, with no lock. It cannot have missed that: the flag is written under
  /// the lock before the elements behind the mark are, and these are published with release.
  final func noteAsking(for cursor: LogCursor, at position: Int) {
    let settled = state.withLock { $0.attendance?.noteAsking(&cursor.attended, at: position) }
    if let settled { ring(settled) }
  }

  final func pendingCount(at position: Position?, queue: SubscriberQueueBase?) -> Int {
    state.withLock { $0.pendingCount(at: position, queue: queue) }
  }

  /// The same look without the sleep.
  final func look(at position: Position?, queue: SubscriberQueueBase?) -> Look {
    state.withLock { $0.look(at: position, queue: queue) }
  }

  /// Takes out the doorbell of a consumer that was cancelled or displaced.
  final func leaveQueue(_ bell: Doorbell) {
    state.withLock { $0.leaveQueue(bell) }
  }

  final func takeDue() -> Sleepers? {
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
    case .directly(var sleepers):
      sleepers.ringAll()
    case .throughActor(let waker):
      // A send is synchronous, and a call of an actor is not: hence a task. It is detached, since
      // the readers must not inherit anything of the sender's task. Its priority is the sender's,
      // since a thread of that priority is awake, but at least medium: the readers may be more
      // urgent than the sender.
      let priority = max(Task.currentPriority, .medium)
      Task.detached(priority: priority) { await waker.ring(from: self) }
    }
  }
}

/// See `BroadcastLogBase`. `@unchecked Sendable`, both: the other fields are constant, and `window`
/// is touched only under the lock.
///
/// `_fixed_layout`: as `Cursor`.
@_fixed_layout @usableFromInline
final class BroadcastLog<Element: Sendable>: BroadcastLogBase, @unchecked Sendable {
  /// `exclusivity(unchecked)`: the lock is exclusive already.
  @exclusivity(unchecked) @usableFromInline var window: ReplayWindow<Element>
  /// What was sent while nobody was subscribed, for the first subscriber; nil if that is not kept.
  @usableFromInline let unheard: SubscriberQueue<Element>?
  @usableFromInline let defaultPolicy: BufferingPolicy

  @inlinable
  init(
    replaying count: Int, keepingUnheard kept: BufferingPolicy? = nil,
    buffering policy: BufferingPolicy
  ) {
    if count < 0 { Self.refuseToReplay(count) }
    kept?.validateKeeping(of: Element.self)
    policy.validate(for: Element.self)
    // No `map`: looking up the type of its result would cost every channel.
    if let kept { unheard = SubscriberQueue(policy: kept) } else { unheard = nil }
    window = ReplayWindow(limit: count)
    defaultPolicy = policy
  }

  @usableFromInline
  static func refuseToReplay(_ count: Int) -> Never {
    Diagnostics.programmerError(
      "A channel of \(Element.self) cannot replay \(count) elements: the count is at least 0.")
  }

  /// Returns the number of subscribers it was sent to, or nil if the log is finished.
  @inlinable
  func send(_ element: Element, replayed: Bool) -> Int? {
    if isRecorded.load(ordering: .relaxed) { return sendRecorded(element, replayed: replayed) }
    var evicted = Evicted<Element>()
    let (subscribers, wake) = append(element, replayed: replayed, evicting: &evicted)
    _ = consume evicted  // destroyed here, with no lock held
    perform(wake)
    return subscribers
  }

  /// Ends every outlet after what was already sent. The replay window is emptied, unless its newest
  /// element is to stay readable.
  func finish(keepingNewest: Bool = false) {
    let (wake, news) = end(keepingNewest: keepingNewest)
    perform(wake)
    if let news { tell(news) }
  }

  /// Nobody can subscribe any more.
  func dropUnheard() {
    var dropped = Backlog<Element>()
    state.withLock { _ in
      if let unheard { dropped = unheard.takeAll() }
    }
    _ = consume dropped  // destroyed here: after unlocking
  }

  @inlinable
  func subscribe(buffering policy: BufferingPolicy?) -> Cursor<Element> {
    policy?.validate(for: Element.self)
    return Cursor(in: self, buffering: policy ?? defaultPolicy)
  }

  override var replayedCount: Int { window.elements.count }

  override var keptQueue: SubscriberQueueBase? { unheard }

  /// The newest element of the replay window, which must have one.
  @inlinable
  var newest: Element {
    state.withLock { _ in window.newest }
  }

  /// How many elements were ever added to the replay window, which must have one.
  var version: Int {
    state.withLock { _ in window.total }
  }

  /// Appends for all current subscribers, unless the log is finished.
  ///
  /// - Parameter evicted: Gets what there is no room for any more, to be released by a caller that
  ///   holds no lock.
  /// - Returns: The number of subscribers, or nil if the log is finished; and which sleepers to
  ///   ring.
  @inlinable
  func append(
    _ element: Element, replayed: Bool, evicting evicted: inout Evicted<Element>
  ) -> (subscribers: Int?, wake: Wake) {
    state.withLock { state in
      append(element, replayed: replayed, to: &state, evicting: &evicted)
    }
  }

  /// The same for a writer of state, unless the newest element is being updated: nil then.
  @inlinable
  func appendUnlessUpdating(
    _ element: Element, evicting evicted: inout Evicted<Element>
  ) -> (subscribers: Int?, wake: Wake)? {
    state.withLock { state in
      if state.isUpdating { return nil }
      return append(element, replayed: true, to: &state, evicting: &evicted)
    }
  }

  /// Begins to replace the newest element, and returns it. Other writers wait until `endUpdate`.
  @inlinable
  func beginUpdate() -> Element {
    state.withLock { state in
      state.isUpdating = true
      return window.newest
    }
  }

  /// Replaces it, or not, and lets other writers write.
  ///
  /// - Parameter sending: Is noted here if the log is recorded; described later.
  @inlinable
  func endUpdate(
    with element: Element?, noting sending: Sending?, evicting evicted: inout Evicted<Element>
  ) -> (subscribers: Int?, wake: Wake) {
    state.withLock { state in
      state.isUpdating = false
      guard let element else { return (nil, .nobody) }
      if let sending { note(sending, in: state, replayed: true) }
      return append(element, replayed: true, to: &state, evicting: &evicted)
    }
  }

  /// With the lock held.
  @inlinable
  func append(
    _ element: Element, replayed: Bool, to state: inout LogState,
    evicting evicted: inout Evicted<Element>
  ) -> (subscribers: Int?, wake: Wake) {
    guard !state.isFinished else { return (nil, .nobody) }
    if state.readers > 0 {
      state.appendSlot(element)
    } else if let unheard, state.queues.isEmpty {
      unheard.offer(element, evicting: &evicted)
    }
    if !state.queues.isEmpty { fill(state.queues, with: element, evicting: &evicted) }
    if replayed, window.limit > 0 { window.slide(adding: element, evicting: &evicted) }
    return (state.subscriberCount, state.takeSleepers())
  }

  /// - Parameter queues: This log's, which are all made in `join`.
  @inlinable
  func fill(
    _ queues: ContiguousArray<SubscriberQueueBase>, with element: Element,
    evicting evicted: inout Evicted<Element>
  ) {
    for queue in queues {
      unsafeDowncast(queue, to: SubscriberQueue<Element>.self)
        .offer(element, evicting: &evicted)
    }
  }

  private func end(keepingNewest: Bool) -> (Wake, AttendanceNews?) {
    var replayed = Backlog<Element>()
    var news: AttendanceNews?
    let wake: Wake = state.withLock { state in
      if !keepingNewest, window.limit > 0 { replayed = window.takeAll() }
      if !state.isFinished {
        news = state.attendance?.noteEnd()
        for tap in state.taps { tap.note(.finished) }
      }
      return state.finish() ? state.takeSleepers() : .nobody
    }
    _ = consume replayed  // destroyed here: after unlocking
    return (wake, news)
  }

  /// Takes a place at the log's end, behind the replay window, or what was kept for the first
  /// subscriber.
  ///
  /// - Returns: A position for an unbounded subscriber; a queue for a bounded one, and for replayed
  ///   and kept elements, which are to be read first; neither after the end, if nothing was kept.
  ///   And what `LogCursor.attended` begins with.
  @inlinable
  func join(
    _ policy: BufferingPolicy
  ) -> (position: Position?, queue: SubscriberQueue<Element>?, attended: Int) {
    let isBounded = policy != .unbounded
    let readsQueue = isBounded || window.limit > 0 || unheard != nil
    let queue = readsQueue ? SubscriberQueue<Element>(policy: policy) : nil
    var evicted = Evicted<Element>()
    var attended = 0
    var news: AttendanceNews?
    let place: (Position?, SubscriberQueue<Element>?) = state.withLock { state in
      if isRecorded.load(ordering: .relaxed) { noteSubscribing(queue, in: state) }
      // There is something only while nobody is subscribed.
      if let queue, let unheard { unheard.moveAll(to: queue, evicting: &evicted) }
      guard !state.isFinished else { return (nil, unheard == nil ? nil : queue) }
      if let queue { window.forEach { queue.offer($0, evicting: &evicted) } }
      if isBounded, let queue {
        state.addQueue(queue)
        if state.attendance != nil { (attended, news) = state.welcome() }
        return (nil, queue)
      }
      let position = state.addReader(of: Element.self)
      if state.attendance != nil { (attended, news) = state.welcome() }
      return (position, queue)
    }
    if let news { tell(news) }
    return (place.0, place.1, attended)
  }
}
