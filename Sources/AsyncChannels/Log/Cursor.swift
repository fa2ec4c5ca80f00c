import Synchronization

/// A live subscription to a log. Its `deinit` is the unsubscribing. See `LogCursor`.
///
/// `_fixed_layout`: where the package is built with library evolution, clients may inline the
/// initializer and the `deinit` of a class only if its layout is a promise.
@_fixed_layout @usableFromInline
final class Cursor<Element: Sendable>: LogCursor, @unchecked Sendable {
  @inlinable
  init(in log: BroadcastLog<Element>, buffering policy: BufferingPolicy) {
    let queue = policy == .unbounded ? nil : SubscriberQueue<Element>(policy: policy)
    super.init(in: log, at: log.join(policy, queue), queue: queue)
  }

  init(
    in log: BroadcastLog<Element>, _ policy: BufferingPolicy, _ queue: SubscriberQueue<Element>
  ) {
    super.init(in: log, at: log.join(policy, queue), queue: queue)
  }

  @inlinable
  deinit {
    if let rest = unsubscribe() { rest.abandon(Element.self) }
  }

  @usableFromInline
  override var elementType: Any.Type { Element.self }

  /// Takes an element that is there, for the consumer. Returns nil also for another iterator, which has
  /// to `waitForElement` first.
  ///
  /// This does not go on to the next segment. `waitForElement` does, and looks at the task's
  /// cancellation there: so a consumer that always finds an element sees it no later than 64 elements
  /// after.
  @inlinable
  func take(as ticket: UInt64) -> Element? {
    if ticket == Self.onlyTicket { soleUse.begin(of: elementType) }
    if let claim = claim(atMost: 1, as: ticket) {
      let element = take(claim, as: ticket)
      if ticket == Self.onlyTicket { soleUse.end() }
      return element
    }
    if ticket == Self.onlyTicket { soleUse.end() }
    return isPlain ? nil : takeElsewhere(as: ticket)
  }

  /// The same unless the task is cancelled, which is asked when the element was seen: so nothing is taken that
  /// was sent after that. Takes nothing that would need a lock.
  @inlinable
  func takeUnlessCancelled(as ticket: UInt64) -> Element? {
    guard let claim = claim(atMost: 1, as: ticket, unlessCancelled: true) else { return nil }
    return take(claim, as: ticket)
  }

  /// Claims the next slots, at most so many, for the consumer. If none is known, it looks for more, unless
  /// the log is observed.
  @inlinable @inline(__always)
  func claim(
    atMost most: Int, as ticket: UInt64, unlessCancelled: Bool = false
  ) -> Position.Claim? {
    guard let word = position.word(of: ticket) else { return nil }
    var ready = position.ready(after: word)
    if ready <= 0 {
      // In this order: who sees an element that was sent to an observed log sees that it is observed.
      let published = untypedLog.publishedCount
      if isObserved { return nil }
      ready = position.refresh(published, after: word)
      if ready <= 0 { return nil }
    }
    if unlessCancelled, Task.isCancelled { return nil }
    return position.claim(most == 1 ? 1 : min(most, Int(ready)), after: word, as: ticket)
  }

  @inlinable @inline(__always)
  func take(_ claim: Position.Claim, as ticket: UInt64) -> Element {
    let element = claim.take(Element.self)
    position.finish(claim, as: ticket)
    return element
  }

  /// The same for several elements, which are claimed in one step. Returns how many there were.
  @inlinable
  func takeUpTo(_ count: Int, as ticket: UInt64, into elements: inout [Element]) -> Int {
    guard let claim = claim(atMost: count, as: ticket) else { return 0 }
    elements.reserveCapacity(elements.count + count)
    for offset in 0..<claim.count { elements.append(claim.take(Element.self, offset)) }
    position.finish(claim, as: ticket)
    return claim.count
  }

  /// Whether all its elements are in the log, and nobody follows it.
  @inlinable
  var isPlain: Bool { untypedQueue == nil && !isObserved }

  /// Not inlined: clients' `take` would save more registers.
  @usableFromInline @inline(never)
  func takeElsewhere(as ticket: UInt64) -> Element? {
    if untypedQueue != nil {
      if Task.isCancelled { return nil }
      // While somebody follows the log, consumers go the slow way, on which they ask.
      return pop { queue, isObserved in
        isObserved || !position.isOpen(for: ticket) ? nil : queue.popFirst()
      }
    }
    return withPlace(of: ticket) { hasReturned ? nil : takeNoting(as: ticket) }
  }

  /// Takes an element that is there, for the consumer.
  @usableFromInline
  func take(_ terms: Terms, as ticket: UInt64) -> Element? {
    withPlace(of: ticket) { lookAndTake(terms, as: ticket) }
  }

  /// Takes an element that `waitForElement` has seen: that asked whether the task is cancelled after
  /// it had looked. This does not look again, so it takes nothing that was sent later.
  ///
  /// Only a queue is asked again, under the lock of those who fill it (`takeFromBoundedQueue`).
  ///
  /// Not inlined: an async caller would keep room for these variables while it sleeps.
  @usableFromInline @inline(never)
  func takeSeen(as ticket: UInt64) -> Element? {
    // No `map`: looking up the type of its result would cost each sleep.
    if ticket == Self.onlyTicket { soleUse.begin(of: elementType) }
    if let claim = position.claimKnown(as: ticket) {
      let element = take(claim, as: ticket)
      if ticket == Self.onlyTicket { soleUse.end() }
      return element
    }
    if ticket == Self.onlyTicket { soleUse.end() }
    // The place is closed, somebody follows the log, or there is a queue.
    return withPlace(of: ticket) {
      hasReturned ? nil : takeFound(evenIfCancelled: false, as: ticket)
    }
  }

  /// Takes an element that is there, wherever it is: in the next segment, too. Requires the lock. The
  /// look comes before the question whether the task is cancelled (see `Waiter`).
  func lookAndTake(_ terms: Terms, as ticket: UInt64) -> Element? {
    let evenIfCancelled = terms == .evenIfCancelled
    guard look(asks: terms == .next, orJoinWith: nil) == .readable,
      evenIfCancelled || !Task.isCancelled
    else { return nil }
    return takeFound(evenIfCancelled: evenIfCancelled, as: ticket)
  }

  /// Takes an element that a look has seen, wherever it is. Requires the lock.
  private func takeFound(evenIfCancelled: Bool, as ticket: UInt64) -> Element? {
    if untypedQueue != nil { return takeFromBoundedQueue(evenIfCancelled: evenIfCancelled) }
    return isObserved ? takeNoting(as: ticket) : takeKnown(as: ticket)
  }

  /// Requires the lock.
  private func takeKnown(as ticket: UInt64) -> Element? {
    for _ in 0..<2 {
      if let claim = position.claimKnown(as: ticket) { return take(claim, as: ticket) }
      if let claim = position.claimClosed() { return claim.take(Element.self) }
      // It came after the last look, or a consumer that was displaced has set back what is known.
      _ = advance(asks: false)
    }
    return nil
  }

  /// Takes one element, and knows of no other after that: so the next one is noted, too. Requires the lock.
  private func takeNoting(as ticket: UInt64) -> Element? {
    let published = untypedLog.publishedCount
    guard let number = position.number, position.refresh(published) else { return nil }
    position.forgetKnown(but: 1)
    guard let element = takeKnown(as: ticket) else { return nil }
    noteTaking(from: number)
    return element
  }

  /// Asks again whether the task is cancelled, under the lock: a sender may have replaced the
  /// element that the look saw by one that was sent after `cancel()`.
  private func takeFromBoundedQueue(evenIfCancelled: Bool) -> Element? {
    pop { queue, _ in evenIfCancelled || !Task.isCancelled ? queue.takeFirst() : nil }
  }

  /// Moves the first element of a queue that is taken with others, where it is, to a place without one. Requires the
  /// lock.
  func moveFirst(to place: UnsafeMutablePointer<Element>, asks: Bool) {
    guard let untypedQueue else { return }
    if asks, isObserved { _ = look(asks: true, orJoinWith: nil) }
    let queue = unsafeDowncast(untypedQueue, to: SubscriberQueue<Element>.self)
    untypedLog.state.withLock { state in
      queue.moveFirst(to: place)
      return state.isObserved ? state.tell(.taken(by: subscriber, slot: nil)) : nil
    }?()
  }

  /// - Parameter remove: Takes an element from the queue, if there is one. Called under the log's lock.
  private func pop(
    _ remove: (SubscriberQueue<Element>, _ isObserved: Bool) -> Element?
  ) -> Element? {
    guard let untypedQueue else { return nil }
    // `join` made it, with this element's type.
    let queue = unsafeDowncast(untypedQueue, to: SubscriberQueue<Element>.self)
    var after: AfterLock?
    let element = untypedLog.state.withLock { state in
      let element = remove(queue, state.isObserved)
      if element != nil, state.isObserved { after = state.tell(.taken(by: subscriber, slot: nil)) }
      return element
    }
    after?()
    return element
  }
}
