public import Synchronization

/// See `BroadcastLogBase`. `@unchecked Sendable`, both: the other fields are constant, and `window`
/// is touched only under the lock.
///
/// `_fixed_layout`: as `Cursor`.
@_fixed_layout @usableFromInline
final class BroadcastLog<Element: Sendable>: BroadcastLogBase, @unchecked Sendable {
  /// `exclusivity(unchecked)`: the lock is exclusive already.
  @exclusivity(unchecked) @usableFromInline var window: ReplayWindow<Element>
  @usableFromInline let defaultPolicy: BufferingPolicy

  @inlinable
  init(replaying count: Int, buffering policy: BufferingPolicy) {
    if count < 0 { Self.refuseToReplay(count) }
    policy.validate(for: Element.self)
    window = ReplayWindow(limit: count)
    defaultPolicy = policy
  }

  @usableFromInline
  static func refuseToReplay(_ count: Int) -> Never {
    Misuse.trap(
      "A channel of \(Element.self) cannot replay \(count) elements: the count is at least 0.")
  }

  /// What became of an element: how many subscribers it was sent to, nil if nothing was appended; and which
  /// sleepers to ring.
  @usableFromInline
  typealias Appended = (subscribers: Int?, wake: Wake)

  /// Returns the number of subscribers it was sent to, or nil if the log is finished.
  @inlinable
  func send(_ element: Element, replayed: Bool) -> Int? {
    // Destroyed at the end: with no lock held, and when nobody waits for a ring any more.
    var evicted = Evicted<Element>()
    let (subscribers, wake) = appendIfPlain(element, replayed: replayed, evicting: &evicted)
    guard let subscribers else { return sendNoting(element, replayed: replayed) }
    perform(wake)
    return subscribers
  }

  /// Ends every outlet after what was already sent, and empties the replay window.
  func finish() {
    var replayed = RingBuffer<Element>()
    let (wake, after) = state.withLock { state in
      if !state.isFinished, window.limit > 0 { replayed = window.takeAll() }
      return state.finish()
    }
    perform(wake)
    after?()
    _ = consume replayed  // destroyed here: after unlocking and ringing
  }

  /// Ends every outlet of state, whose newest element stays readable. False if that is being changed in
  /// place: nothing is done then.
  func finishKeepingNewest() -> Bool {
    let ending = state.withLock { state in isNewestThere ? state.finish() : nil }
    guard let (wake, after) = ending else { return false }
    perform(wake)
    after?()
    return true
  }

  @inlinable
  func subscribe(buffering policy: BufferingPolicy?) -> Cursor<Element> {
    policy?.validate(for: Element.self)
    return Cursor(in: self, buffering: policy ?? defaultPolicy)
  }

  override func subscribe(at place: SignalPlace) -> LogCursor {
    let queue = SubscriberQueue<Element>(policy: .bufferingNewest(1), place: place)
    let cursor = Cursor(in: self, queue.policy, queue)
    // It is finished: it has its last element, and no more. Nobody sleeps yet.
    if cursor.isPastTheEnd {
      place.mark()
      _ = place.end()
    }
    return cursor
  }

  override var anyNewest: (value: Any, version: Int)? {
    state.withLock { _ in isNewestThere ? (window.newest, window.total) : nil }
  }

  override var elementType: any Sendable.Type { Element.self }

  override var replayedCount: Int { window.elements.count }

  /// The newest element of state; nil while somebody has taken it out of the window, to change it in place.
  @inlinable
  var newest: Element? {
    state.withLock { _ in isNewestThere ? window.newest : nil }
  }

  /// Of state only, whose window has an element otherwise. With the lock held.
  @inlinable
  var isNewestThere: Bool { !Self.isChangedInPlace || window.elements.count > 0 }

  /// Whether an update may take the newest element out of the window and change that, rather than a copy.
  ///
  /// Copying is free for a trivial element, and for an object: then readers need not wait, and an object that
  /// was replaced is destroyed with no lock held.
  @inlinable
  static var isChangedInPlace: Bool { !_isPOD(Element.self) && !(Element.self is AnyClass) }

  /// Appends for all current subscribers, unless that is not all that there is to do (`LogFlags`).
  ///
  /// So what hardly any log has costs a sender nothing: that the log is finished is to be asked anyway.
  ///
  /// - Parameter evicted: Gets what there is no room for any more, to be released by a caller that
  ///   holds no lock.
  @inlinable
  func appendIfPlain(
    _ element: Element, replayed: Bool, evicting evicted: inout Evicted<Element>
  ) -> Appended {
    state.withLock { state in
      guard state.isPlain else { return (nil, .nobody) }
      return store(element, replayed: replayed, in: &state, evicting: &evicted)
    }
  }

  /// Begins to replace the newest element, and returns it. Other writers wait until the update ends. If the
  /// log is observed, nothing begins, and this returns nil.
  ///
  /// - Parameter inPlace: Whether the element may be moved out of the window, so that the caller has the only reference to it.
  ///   A subscriber that comes before the update ends gets no replayed element, and then the updated one.
  @inlinable
  func beginUpdateUnlessObserved(inPlace: Bool) -> Element? {
    state.withLock { state in
      if state.isObserved { return nil }
      state.isUpdating = true
      // The last value of finished state stays.
      return inPlace && Self.isChangedInPlace && !state.isFinished
        ? window.elements.popFirst() : window.newest
    }
  }

  /// Replaces it, and lets other writers write, unless there is more to do: the log may be observed or
  /// finished since the update began. Then nothing ends, and no number of subscribers is returned.
  @inlinable
  func endUpdateIfPlain(
    with element: Element, evicting evicted: inout Evicted<Element>
  ) -> Appended {
    state.withLock { state in
      guard state.flags == .updating else { return (nil, .nobody) }
      state.isUpdating = false
      return store(element, replayed: true, in: &state, evicting: &evicted)
    }
  }

  /// Lets other writers write, with nothing replaced.
  @usableFromInline
  func leaveUpdate() {
    state.withLock { $0.isUpdating = false }
  }

  /// Appends to a log that is not finished, and whose observers have been told. With the lock held.
  @inlinable
  func store(
    _ element: Element, replayed: Bool, in state: inout LogState,
    evicting evicted: inout Evicted<Element>
  ) -> Appended {
    if state.readers > 0 { publish(upTo: state.writeSlot(element)) }
    // Before followers are told of it: who is told finds it.
    if replayed, window.limit > 0 {
      window.slide(adding: element, evicting: &evicted)
      version.store(window.total, ordering: .relaxed)
    }
    if !state.queues.isEmpty {
      fill(state.queues, with: element, evicting: &evicted)
      if state.followerCount > 0 { state.joinSleepingFollowers() }
    }
    return (state.readers &+ state.queues.count, state.takeSleepers())
  }

  /// - Parameter queues: This log's, which are all made in `join`.
  @inlinable
  func fill(
    _ queues: ContiguousArray<SubscriberQueueBase>, with element: Element,
    evicting evicted: inout Evicted<Element>
  ) {
    // By index: a loop over the queues would retain each.
    queues.indices.forEach { queues[$0].of(Element.self).offer(element, evicting: &evicted) }
  }

  /// Takes a place at the log's end, behind the replay window.
  ///
  /// - Parameter queue: That of a bounded one.
  @inlinable
  func join(_ policy: BufferingPolicy, _ queue: SubscriberQueue<Element>?) -> StartingPoint {
    var evicted = Evicted<Element>()
    var after: AfterLock?
    let joined = state.withLock { state in
      let published = published.load(ordering: .relaxed)
      // Nobody hears of one that comes after the end, and it has no number.
      if state.isFinished { return StartingPoint(0, behind: published) }
      state.newestSubscriber &+= 1
      var joined = StartingPoint(state.newestSubscriber, behind: published)
      queue?.subscriber = joined.subscriber
      if state.hasObservers { after = noteSubscribing(policy, in: state) }
      if let queue {
        window.elements.forEach { queue.offer($0, evicting: &evicted) }
        state.addQueue(queue)
      } else {
        joined.begin(at: state.addReader(of: Element.self), behind: window.elements)
      }
      return joined
    }
    after?()
    return joined
  }
}
