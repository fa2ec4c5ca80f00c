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
  /// The fast path takes while there are more than these: none, or `.max` while somebody waits until
  /// this subscriber has settled, so that it has to take the slow path, which notes what it takes.
  fileprivate final var floor = 0
  /// Used while `floor` is `.max`: how many elements were there when that began and were not taken,
  /// and how many had been dropped by then.
  private final var owed = 0
  private final var droppedBefore = 0
  /// The number of the last call of `settled()` by then: later ones have to wait for more.
  final var watchedNumber = 0
  /// Its index in the log's list, so that leaving is O(1); nil for one that senders do not fill.
  final var index: Int?
  @usableFromInline final let policy: BufferingPolicy

  fileprivate init(policy: BufferingPolicy) {
    self.policy = policy
  }

  /// Notes, from now on, when all that is there now was taken. See `floor`.
  ///
  /// One that is watched already goes on with that, or a subscriber that is always behind would never
  /// have settled while more and more callers wait for it. It is watched again after that.
  final func watch(upTo number: Int) {
    if floor == .max { return }
    (floor, owed, droppedBefore, watchedNumber) = (.max, count, droppedCount, number)
  }

  /// - Parameter evicts: Whether what was dropped was the oldest.
  fileprivate final func isOwed(evicting evicts: Bool) -> Bool {
    owed > (evicts ? droppedCount - droppedBefore : 0)
  }

  fileprivate final func settleOne() {
    owed -= 1
  }
}

/// See `SubscriberQueueBase`.
@usableFromInline
final class SubscriberQueue<Element: Sendable>: SubscriberQueueBase, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var backlog = Backlog<Element>()

  @usableFromInline
  override init(policy: BufferingPolicy) {
    super.init(policy: policy)
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
    guard count > floor else { return nil }
    count -= 1
    let element = backlog.popFirst()
    // Replayed elements are not followed by others: their room is not needed again.
    if count == 0, policy == .unbounded { backlog = Backlog() }
    return element
  }

  /// Takes the first element on the slow path.
  ///
  /// - Parameter isAwaited: Whether somebody waits until this subscriber has settled.
  /// - Returns: The element, and whether nothing that was there before is owed any more: then the
  ///   consumer has taken it, and has asked for more.
  func popFirst(isAwaited: Bool) -> (element: Element?, isSettled: Bool) {
    floor = 0
    let element = popFirst()
    guard isAwaited, element != nil else { return (element, false) }
    if !isOwed(evicting: evictsOldest) { return (element, true) }
    settleOne()
    floor = .max
    return (element, false)
  }

  private var evictsOldest: Bool {
    if case .bufferingNewest = policy { true } else { false }
  }

  func takeAll() -> Backlog<Element> {
    count = 0
    return exchange(&backlog, with: Backlog())
  }

  /// Moves all to the queue of a new subscriber, as far as its policy keeps it, with the number of
  /// those that were dropped.
  @usableFromInline
  func moveAll(to other: SubscriberQueue, evicting evicted: inout Evicted<Element>) {
    if other.policy == .unbounded {
      swap(&other.backlog, &backlog)
      other.count = count
    } else {
      while let element = backlog.popFirst() {
        other.offer(element, evicting: &evicted)
        // The other policy may have dropped it, and this may be the last reference.
        evicted.add(element)
      }
    }
    other.droppedCount += droppedCount
    (count, droppedCount) = (0, 0)
  }
}
