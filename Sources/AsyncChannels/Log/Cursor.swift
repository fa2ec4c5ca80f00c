public import Synchronization

/// A live subscription to a log. Its `deinit` is the unsubscribing. See `LogCursor`.
///
/// `_fixed_layout`: where the package is built with library evolution, clients may inline the
/// initializer and the `deinit` of a class only if its layout is a promise.
@_fixed_layout @usableFromInline
final class Cursor<Element: Sendable>: LogCursor, @unchecked Sendable {
  @inlinable
  init(in log: BroadcastLog<Element>, buffering policy: BufferingPolicy) {
    let (position, queue, attended, tag) = log.join(policy)
    super.init(in: log, at: position, queue: queue, attended: attended, tag: tag)
  }

  @inlinable
  deinit {
    if let end = unsubscribe() { position?.abandon(upTo: end, of: Element.self) }
  }

  override var elementType: Any.Type { Element.self }

  /// Takes an element that is there, for the iterator that used the cursor last. Returns nil also
  /// for another iterator, which has to `waitForElement` first.
  @inlinable
  func take(as ticket: UInt64) -> Element? {
    guard lease.tryAcquire(ticket) else { return nil }
    let element = readsQueue && isTaskCancelled ? nil : take()
    lease.release(ticket)
    return element
  }

  /// The same for several elements, with one lease. Returns how many there were.
  @inlinable
  func takeUpTo(_ count: Int, as ticket: UInt64, into elements: inout [Element]) -> Int {
    guard lease.tryAcquire(ticket) else { return 0 }
    var taken = 0
    if !readsQueue || !isTaskCancelled {
      elements.reserveCapacity(elements.count + count)
      while taken < count, let element = take() {
        elements.append(element)
        taken += 1
      }
    }
    lease.release(ticket)
    return taken
  }

  /// Takes an element that is there. Requires the lease.
  ///
  /// This does not go on to the next segment. `waitForElement` does, and looks at the task's
  /// cancellation there: so a consumer that always finds an element sees it at the latest 64
  /// elements later.
  ///
  /// Always inlined, as is `takeKnown`: so a take is one call at most, however large the caller is.
  @inlinable @inline(__always)
  func take() -> Element? {
    if let element = position?.takeKnown(Element.self) { return element }
    if readsQueue { return takeFromQueue() }
    guard position?.refresh() == true else { return nil }
    return isRecorded ? takeRecorded() : position?.takeKnown(Element.self)
  }

  /// Takes an element that is there, for the iterator that used the cursor last.
  func take(_ terms: Terms, as ticket: UInt64) -> Element? {
    guard lease.tryAcquireUnborrowed(ticket) else { return nil }
    defer { lease.release(ticket) }
    return lookAndTake(terms)
  }

  /// Takes an element that `waitForElement` has seen: that asked whether the task is cancelled after
  /// it had looked. This does not look again, so it takes nothing that was sent later.
  ///
  /// Only a queue that senders fill is asked again, under their lock (`takeFromBoundedQueue`). What
  /// was replayed stands in a queue that nobody fills any more.
  ///
  /// Not inlined: an async caller would keep room for these variables while it sleeps.
  @inline(never)
  func takeSeen(as ticket: UInt64) -> Element? {
    guard lease.tryAcquire(ticket) else { return nil }
    defer { lease.release(ticket) }
    if !readsQueue {
      // The next element was seen, whatever has come after it.
      if isRecorded, position?.refresh() == true { return takeRecorded() }
      return position?.takeKnown(Element.self)
    }
    return position == nil ? takeFromBoundedQueue(evenIfCancelled: false) : takeFromQueue()
  }

  /// Takes an element that is there, wherever it is: in the next segment, too, or behind what was
  /// replayed. Requires the lease. The look comes before the question whether the task is cancelled
  /// (see `Waiter`).
  func lookAndTake(_ terms: Terms) -> Element? {
    let evenIfCancelled = terms == .evenIfCancelled
    guard look(asks: terms == .next, orJoinWith: nil) == .readable,
      evenIfCancelled || !Task.isCancelled
    else { return nil }
    return position == nil ? takeFromBoundedQueue(evenIfCancelled: evenIfCancelled) : take()
  }

  /// Asks again whether the task is cancelled, under the lock: a sender may have replaced the
  /// element that the look saw by one that was sent after `cancel()`.
  private func takeFromBoundedQueue(evenIfCancelled: Bool) -> Element? {
    pop { evenIfCancelled || !Task.isCancelled ? $0.takeFirst() : nil }
  }

  /// The end of a batch is where a recording looks at each element.
  @inlinable
  var isRecorded: Bool { untypedLog.isRecorded.load(ordering: .relaxed) }

  /// Not inlined: the fast path stays small.
  @usableFromInline
  var isTaskCancelled: Bool { Task.isCancelled }

  /// Not inlined, for the same reason: clients' `take` would save more registers.
  @usableFromInline @inline(never)
  func takeFromQueue() -> Element? {
    if let element = pop({ $0.popFirst() }) { return element }
    readsQueue = position == nil
    return nil
  }

  /// - Parameter remove: Takes an element from the queue, if there is one. Called under the log's lock.
  private func pop(_ remove: (SubscriberQueue<Element>) -> Element?) -> Element? {
    guard let untypedQueue else { return nil }
    // `join` made it, with this element's type.
    let queue = unsafeDowncast(untypedQueue, to: SubscriberQueue<Element>.self)
    let (element, origins) = untypedLog.state.withLock { state -> (Element?, [Origin]) in
      let element = remove(queue)
      guard element != nil, state.isRecorded else { return (element, []) }
      return (element, notePopping(from: queue, in: state))
    }
    if !origins.isEmpty { Causes.took(origins, from: ObjectIdentifier(queue)) }
    return element
  }
}

/// On what terms a consumer takes an element that is there, without waiting.
@usableFromInline
enum Terms: Sendable {
  /// The consumer asks for more, having worked on all that it took before (see `Attendance`). Nothing
  /// is taken that was sent after its task was cancelled.
  case next
  /// The consumer gathers one more for the step that it is in. Nothing is taken that was sent after
  /// its task was cancelled.
  case more
  /// As `more`, even if the task is cancelled.
  case evenIfCancelled
}
