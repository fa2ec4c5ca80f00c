public import Synchronization

/// A live subscription to a log. Its `deinit` is the unsubscribing. See `LogCursor`.
///
/// `_fixed_layout`: where the package is built with library evolution, clients may inline the
/// initializer and the `deinit` of a class only if its layout is a promise.
@_fixed_layout @usableFromInline
final class Cursor<Element: Sendable>: LogCursor, @unchecked Sendable {
  /// What the base class holds, with the element's type that it was given here.
  private var log: BroadcastLog<Element> {
    unsafeDowncast(untypedLog, to: BroadcastLog<Element>.self)
  }
  private var queue: SubscriberQueue<Element>? {
    untypedQueue.map { unsafeDowncast($0, to: SubscriberQueue<Element>.self) }
  }

  @inlinable
  init(in log: BroadcastLog<Element>, buffering policy: BufferingPolicy) {
    let (position, queue, attended) = log.join(policy)
    super.init(in: log, at: position, queue: queue, attended: attended)
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
  @inlinable
  func take() -> Element? {
    if let element = position?.takeKnown(Element.self) { return element }
    if readsQueue { return takeFromQueue() }
    guard position?.refresh() == true else { return nil }
    return isRecorded ? takeRecorded() : position?.takeKnown(Element.self)
  }

  /// Takes an element that is there, for the iterator that used the cursor last, unless its task is
  /// cancelled: nothing is taken that was sent after `cancel()` returned.
  /// The look comes before that question (see `Waiter`).
  func takeUnlessCancelled(as ticket: UInt64, evenIfCancelled: Bool = false) -> Element? {
    guard lease.tryAcquireUnborrowed(ticket) else { return nil }
    defer { lease.release(ticket) }
    return lookAndTake(evenIfCancelled: evenIfCancelled)
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

  /// The same as `takeUnlessCancelled`, with the lease. It goes on to the next segment.
  func lookAndTake(evenIfCancelled: Bool) -> Element? {
    guard look() == .readable, evenIfCancelled || !Task.isCancelled else { return nil }
    return position == nil ? takeFromBoundedQueue(evenIfCancelled: evenIfCancelled) : take()
  }

  /// Asks again whether the task is cancelled, under the lock: a sender may have replaced the
  /// element that the look saw by one that was sent after `cancel()`.
  private func takeFromBoundedQueue(evenIfCancelled: Bool) -> Element? {
    guard let queue else { return nil }
    var origins: [Origin] = []
    let (element, settled) = log.state.withLock { state -> (Element?, Settled?) in
      if !evenIfCancelled, Task.isCancelled { return (nil, nil) }
      let isAwaited = state.attendance?.isAwaited(attended) ?? false
      let (element, isSettled) = queue.popFirst(isAwaited: isAwaited)
      if element != nil, !state.taps.isEmpty { origins = notePopping(from: queue, in: state) }
      guard isSettled, let attendance = state.attendance else { return (element, nil) }
      let settled = attendance.noteAsking(&attended, upTo: queue.watchedNumber)
      if attendance.isAwaited(attended) { queue.watch(upTo: attendance.lastNumber) }
      return (element, settled)
    }
    if let settled { log.ring(settled) }
    if !origins.isEmpty { noteTaken(origins) }
    return element
  }

  /// The end of a batch is where a recording looks at each element.
  @inlinable
  var isRecorded: Bool { untypedLog.isRecorded.load(ordering: .relaxed) }

  /// Not inlined: the fast path stays small.
  @usableFromInline
  var isTaskCancelled: Bool { Task.isCancelled }

  @usableFromInline
  func takeFromQueue() -> Element? {
    if let queue {
      let (element, origins) = log.state.withLock { state -> (Element?, [Origin]) in
        let element = queue.popFirst()
        guard element != nil, !state.taps.isEmpty else { return (element, []) }
        return (element, notePopping(from: queue, in: state))
      }
      if !origins.isEmpty { noteTaken(origins) }
      if let element { return element }
    }
    readsQueue = position == nil
    return nil
  }
}
