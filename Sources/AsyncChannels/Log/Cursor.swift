public import Synchronization

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
    let element = ifAdmitted(epoch) { isNextKnown() ? position.take(Element.self) : nil }
    if let element { return element }
    if untypedQueue != nil { return takeOfQueueUnlessCancelled(as: epoch) }
    return isObserved ? takeElsewhere(as: epoch) : nil
  }

  /// The same unless the task is cancelled, which is asked when the element was seen: so nothing is taken that
  /// was sent after that.
  @inlinable
  func takeUnlessCancelled(as epoch: UInt64) -> Element? {
    if untypedQueue != nil { return takeOfQueueUnlessCancelled(as: epoch) }
    return ifAdmitted(epoch) {
      isNextKnown() && !Task.isCancelled ? position.take(Element.self) : nil
    }
  }

  /// Takes the first element of the queue, unless the task is cancelled. Nil also while somebody follows the log: then
  /// consumers go the slow way, on which they ask.
  @inlinable @inline(never)
  func takeOfQueueUnlessCancelled(as epoch: UInt64) -> Element? {
    ifAdmitted(epoch) {
      untypedLog.state.withLock { state in
        state.isObserved || Task.isCancelled ? nil : untypedQueue?.of(Element.self).popFirst()
      }
    }
  }

  /// If none is known, it looks for more, unless the log is observed.
  @inlinable @inline(__always)
  func isNextKnown() -> Bool {
    if position.isKnown { return true }
    // In this order: who sees an element that was sent to an observed log sees that it is observed.
    let published = untypedLog.publishedCount
    return !isObserved && position.look(published)
  }

  /// Takes several elements that are there. Returns how many there were.
  @inlinable
  func takeUpTo(_ count: Int, as epoch: UInt64, into elements: inout [Element]) -> Int {
    elements.reserveCapacity(elements.count + count)
    return ifAdmitted(epoch) {
      var taken = 0
      while taken < count, isNextKnown() {
        elements.append(position.take())
        taken += 1
      }
      return taken
    } ?? 0
  }

  /// Takes an element that is there, for the consumer.
  @usableFromInline
  func take(_ mode: TakeMode, as epoch: UInt64) -> Element? {
    mode == .peek ? newest : withPlace(of: epoch) { lookAndTake(mode) }
  }

  /// The newest element that is there, which stays there. This reader owes it a read, and cannot take it
  /// meanwhile, so nobody destroys it.
  private var newest: Element? {
    lock.withLock { _ in
      guard let untypedQueue else { return position.newest(of: untypedLog.publishedCount) }
      let queue = untypedQueue.of(Element.self)
      return untypedLog.state.withLock { _ in queue.backlog.last }
    }
  }

  /// Takes an element of the log, and gives it to a closure. Does nothing if somebody follows the log, or if there is a
  /// queue: then `take` may find one.
  ///
  /// A function that returned an optional element would look a type up at each step.
  ///
  /// - Parameter receive: Called under the lock.
  package func takeUnfollowed(as epoch: UInt64, _ receive: (Element) -> Void) {
    withPlace(of: epoch) {
      guard untypedQueue == nil, !isObserved, !Causes.areFollowed,
        poll(demands: false, orJoinWith: nil) == .readable, !Task.isCancelled, position.isKnown
      else { return }
      receive(position.take(Element.self))
    }
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
    if let element = ifAdmitted(epoch, { position.isKnown ? position.take(Element.self) : nil }) {
      return element
    }
    return takeElsewhere(as: epoch)
  }

  /// Takes an element of a queue, or of a log that somebody follows. In that log, it looks first, if nobody has.
  ///
  /// Not inlined: clients' `take` would save more registers.
  @usableFromInline @inline(never)
  func takeElsewhere(as epoch: UInt64) -> Element? {
    withPlace(of: epoch) { takeFound(evenIfCancelled: false) }
  }

  /// Takes an element that is there, wherever it is: in the next segment, too. Requires the lock. The
  /// look comes before the question whether the task is cancelled (see `Waiter`).
  func lookAndTake(_ mode: TakeMode) -> Element? {
    let evenIfCancelled = mode == .evenIfCancelled
    guard poll(demands: mode == .next, orJoinWith: nil) == .readable,
      evenIfCancelled || !Task.isCancelled
    else { return nil }
    return takeFound(evenIfCancelled: evenIfCancelled)
  }

  /// Takes an element that a look has seen, wherever it is. Requires the lock. If somebody follows the log, it knows of
  /// no other after that: so the next one is noted, too.
  private func takeFound(evenIfCancelled: Bool) -> Element? {
    if untypedQueue != nil { return takeFromBoundedQueue(evenIfCancelled: evenIfCancelled) }
    guard position.isKnown || position.look(untypedLog.publishedCount) else { return nil }
    let number = position.number
    let element: Element = position.take()
    if isObserved {
      position.forgetKnown()
      noteTaking(from: number)
    }
    return element
  }

  /// Asks again whether the task is cancelled, under the lock: a sender may have replaced the
  /// element that the look saw by one that was sent after `cancel()`.
  private func takeFromBoundedQueue(evenIfCancelled: Bool) -> Element? {
    guard let queue = untypedQueue?.of(Element.self) else { return nil }
    var after: AfterLock?
    let element = untypedLog.state.withLock { state in
      let element = evenIfCancelled || !Task.isCancelled ? queue.takeFirst() : nil
      if element != nil, state.isObserved { after = state.tell(.taken(by: subscriber, slot: nil)) }
      return element
    }
    after?()
    return element
  }
}
