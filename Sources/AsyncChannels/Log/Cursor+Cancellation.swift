import Synchronization

extension AnyCursor {
  /// Whether there is an element to take for a task that is not cancelled. Requires the lease.
  ///
  /// First the look, then the task: whoever sends an element after `cancel()` has returned has
  /// published the cancellation with it, so that seeing the element is seeing that too.
  @usableFromInline
  final var isReadableForThisTask: Bool { look() == .readable && !Task.isCancelled }
}

extension Cursor {
  /// Takes an element that is there, for the consumer that was here last, unless its task is
  /// cancelled: nothing is taken that was sent after `cancel()` returned.
  @inlinable
  func takeUnlessCancelled(as ticket: UInt64) -> Element? {
    guard lease.tryAcquire(ticket) else { return nil }
    defer { lease.release(ticket) }
    guard isReadableForThisTask else { return nil }
    return position == nil ? takeFromBoundedQueue() : take()
  }

  /// The second look at the task, under the lock: a sender may have replaced the element that the
  /// first look saw.
  @usableFromInline
  func takeFromBoundedQueue() -> Element? {
    log.state.withLock { _ in Task.isCancelled ? nil : queue?.popFirst() }
  }
}
