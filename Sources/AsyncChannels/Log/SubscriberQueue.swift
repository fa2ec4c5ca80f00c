/// The elements of one subscriber: the backlog of a bounded one, filled by senders, or the replayed
/// elements that an unbounded one reads before the log.
///
/// The part that does not depend on the element. `@unchecked Sendable`: everything in it is touched
/// only under the log's lock.
@usableFromInline
class SubscriberQueueBase: @unchecked Sendable {
  /// `exclusivity(unchecked)`, these and the backlog: the log's lock is exclusive already.
  @exclusivity(unchecked) @usableFromInline final var count = 0
  @exclusivity(unchecked) @usableFromInline final var droppedCount = 0
  /// Its index in the log's list, so that leaving is O(1); nil for one that senders do not fill.
  final var index: Int?
}

/// See `SubscriberQueueBase`.
@usableFromInline
final class SubscriberQueue<Element: Sendable>: SubscriberQueueBase, @unchecked Sendable {
  @usableFromInline let policy: BufferingPolicy
  @exclusivity(unchecked) @usableFromInline var backlog = Backlog<Element>()

  @usableFromInline
  init(policy: BufferingPolicy) {
    self.policy = policy
  }

  /// Adds an element if the policy keeps it; an older one may be evicted.
  @inlinable
  func offer(_ element: Element, evicting evicted: inout Evicted<Element>) {
    switch policy {
    case .bufferingNewest(let limit) where count == limit:
      if let oldest = backlog.popFirst() { evicted.add(oldest) }
      droppedCount += 1
    case .bufferingOldest(let limit) where count == limit:
      droppedCount += 1
      return
    case .unbounded, .bufferingNewest, .bufferingOldest:
      count += 1
    }
    backlog.append(element)
  }

  func popFirst() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    let element = backlog.popFirst()
    // Replayed elements are not followed by others: their room is not needed again.
    if count == 0, policy == .unbounded { backlog = Backlog() }
    return element
  }
}
