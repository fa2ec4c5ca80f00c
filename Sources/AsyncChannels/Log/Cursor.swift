import Synchronization

/// A live subscription to a log. Its `deinit` is the unsubscribing. See `LogCursor`.
///
/// `_fixed_layout`: where the package is built with library evolution, clients may inline the
/// initializer and the `deinit` of a class only if its layout is a promise.
@_fixed_layout @usableFromInline
package final class Cursor<Element: Sendable>: LogCursor, @unchecked Sendable {
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
  func take(as epoch: UInt64) -> Element? {
    if epoch == Self.onlyEpoch { soleUse.begin(of: elementType) }
    if let claim = claim(atMost: 1, as: epoch) {
      let element = take(claim, as: epoch)
      if epoch == Self.onlyEpoch { soleUse.end() }
      return element
    }
    if epoch == Self.onlyEpoch { soleUse.end() }
    return isPlain ? nil : takeElsewhere(as: epoch)
  }

  /// The same unless the task is cancelled, which is asked when the element was seen: so nothing is taken that
  /// was sent after that. Takes nothing that would need a lock.
  @inlinable
  func takeUnlessCancelled(as epoch: UInt64) -> Element? {
    guard let claim = claim(atMost: 1, as: epoch, unlessCancelled: true) else { return nil }
    return take(claim, as: epoch)
  }

  /// Claims the next slots, at most so many, for the consumer. If none is known, it looks for more, unless
  /// the log is observed.
  @inlinable @inline(__always)
  func claim(
    atMost most: Int, as epoch: UInt64, unlessCancelled: Bool = false
  ) -> Position.Claim? {
    guard let word = position.word(of: epoch) else { return nil }
    var ready = position.ready(after: word)
    if ready <= 0 {
      // In this order: who sees an element that was sent to an observed log sees that it is observed.
      let published = untypedLog.publishedCount
      if isObserved { return nil }
      ready = position.refresh(published, after: word)
      if ready <= 0 { return nil }
    }
    if unlessCancelled, Task.isCancelled { return nil }
    return position.claim(most == 1 ? 1 : min(most, Int(ready)), after: word, as: epoch)
  }

  @inlinable @inline(__always)
  func take(_ claim: Position.Claim, as epoch: UInt64) -> Element {
    let element = claim.take(Element.self)
    position.finish(claim, as: epoch)
    return element
  }

  /// The same for several elements, which are claimed in one step. Returns how many there were.
  @inlinable
  func takeUpTo(_ count: Int, as epoch: UInt64, into elements: inout [Element]) -> Int {
    guard let claim = claim(atMost: count, as: epoch) else { return 0 }
    elements.reserveCapacity(elements.count + count)
    for offset in 0..<claim.count { elements.append(claim.take(Element.self, offset)) }
    position.finish(claim, as: epoch)
    return claim.count
  }

  /// Whether all its elements are in the log, and nobody follows it.
  @inlinable
  var isPlain: Bool { untypedQueue == nil && !isObserved }

  /// Not inlined: clients' `take` would save more registers.
  @usableFromInline @inline(never)
  func takeElsewhere(as epoch: UInt64) -> Element? {
    if untypedQueue != nil {
      if Task.isCancelled { return nil }
      // While somebody follows the log, consumers go the slow way, on which they ask.
      return pop { queue, isObserved in
        isObserved || !position.isOpen(for: epoch) ? nil : queue.popFirst()
      }
    }
    return withPlace(of: epoch) { hasReturned ? nil : takeNoting(as: epoch) }
  }

  /// Takes an element that is there, for the consumer.
  @usableFromInline
  func take(_ mode: TakeMode, as epoch: UInt64) -> Element? {
    withPlace(of: epoch) { lookAndTake(mode, as: epoch) }
  }

  /// Takes an element that `waitForElement` has seen: that asked whether the task is cancelled after
  /// it had looked. This does not look again, so it takes nothing that was sent later.
  ///
  /// Only a queue is asked again, under the lock of those who fill it (`takeFromBoundedQueue`).
  ///
  /// Not inlined: an async caller would keep room for these variables while it sleeps.
  @usableFromInline @inline(never)
  func takeSeen(as epoch: UInt64) -> Element? {
    // No `map`: looking up the type of its result would cost each sleep.
    if epoch == Self.onlyEpoch { soleUse.begin(of: elementType) }
    if let claim = position.claimKnown(as: epoch) {
      let element = take(claim, as: epoch)
      if epoch == Self.onlyEpoch { soleUse.end() }
      return element
    }
    if epoch == Self.onlyEpoch { soleUse.end() }
    // The place is closed, somebody follows the log, or there is a queue.
    return withPlace(of: epoch) {
      hasReturned ? nil : takeFound(evenIfCancelled: false, as: epoch)
    }
  }

  /// Takes an element that is there, wherever it is: in the next segment, too. Requires the lock. The
  /// look comes before the question whether the task is cancelled (see `Waiter`).
  func lookAndTake(_ mode: TakeMode, as epoch: UInt64) -> Element? {
    let evenIfCancelled = mode == .evenIfCancelled
    guard poll(asks: mode == .next, orJoinWith: nil) == .readable,
      evenIfCancelled || !Task.isCancelled
    else { return nil }
    return takeFound(evenIfCancelled: evenIfCancelled, as: epoch)
  }

  /// Takes an element that a look has seen, wherever it is. Requires the lock.
  private func takeFound(evenIfCancelled: Bool, as epoch: UInt64) -> Element? {
    if untypedQueue != nil { return takeFromBoundedQueue(evenIfCancelled: evenIfCancelled) }
    return isObserved ? takeNoting(as: epoch) : takeKnown(as: epoch)
  }

  /// Requires the lock.
  private func takeKnown(as epoch: UInt64) -> Element? {
    for _ in 0..<2 {
      if let claim = position.claimKnown(as: epoch) { return take(claim, as: epoch) }
      if let claim = position.claimClosed() { return claim.take(Element.self) }
      // It came after the last look, or a consumer that was displaced has set back what is known.
      _ = advance(asks: false)
    }
    return nil
  }

  /// Takes one element, and knows of no other after that: so the next one is noted, too. Requires the lock.
  private func takeNoting(as epoch: UInt64) -> Element? {
    let published = untypedLog.publishedCount
    guard let number = position.number, position.refresh(published) else { return nil }
    position.forgetKnown(but: 1)
    guard let element = takeKnown(as: epoch) else { return nil }
    noteTaking(from: number)
    return element
  }

  /// Asks again whether the task is cancelled, under the lock: a sender may have replaced the
  /// element that the look saw by one that was sent after `cancel()`.
  private func takeFromBoundedQueue(evenIfCancelled: Bool) -> Element? {
    pop { queue, _ in evenIfCancelled || !Task.isCancelled ? queue.takeFirst() : nil }
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
