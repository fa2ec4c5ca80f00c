/// The elements of a bounded subscriber, filled by senders.
///
/// The part that does not depend on the element. `@unchecked Sendable`: everything in it is touched
/// only under the log's lock.
@usableFromInline
class SubscriberQueueBase: @unchecked Sendable {
  /// `exclusivity(unchecked)`, these and the backlog: the log's lock is exclusive already.
  @exclusivity(unchecked) @usableFromInline final var count = 0
  @exclusivity(unchecked) @usableFromInline final var droppedCount = 0
  /// How many were taken.
  @exclusivity(unchecked) @usableFromInline final var takenCount = 0
  /// When so many were taken, the next one is taken on the slow path.
  @exclusivity(unchecked) @usableFromInline final var endOfRun = longestRun
  fileprivate static var longestRun: Int { 64 }
  /// The number of the subscriber whose it is.
  @usableFromInline final var subscriber = 0
  /// Its index in the log's list, so that leaving is O(1); nil for one that senders do not fill.
  final var index: Int?
  @usableFromInline final let policy: BufferingPolicy
  /// For a follower of several logs, which takes no element from here. Then the counts are there, too.
  @usableFromInline final let place: SignalPlace?

  fileprivate init(policy: BufferingPolicy, place: SignalPlace?) {
    (self.policy, self.place) = (policy, place)
  }

  /// How many elements wait.
  final var pendingCount: Int { place?.counts.pending ?? count }

  /// Whether what it drops was in it. Otherwise it was refused.
  final var replacesOld: Bool { if case .bufferingNewest = policy { true } else { false } }

  /// How many elements have come, taken and dropped ones included.
  final var offeredCount: Int { departures + pendingCount + (replacesOld ? 0 : droppedCount) }

  /// How many elements have left it, taken or replaced.
  final var departures: Int {
    if let place { return place.counts.departed }
    return replacesOld ? takenCount + droppedCount : takenCount
  }
}

extension SubscriberQueueBase {
  /// With its type. Its log asks, or a cursor of that: `join` made it, with their elements' type.
  @inlinable @inline(__always)
  final func of<Element>(_ type: Element.Type) -> SubscriberQueue<Element> {
    unsafeDowncast(self, to: SubscriberQueue<Element>.self)
  }
}

/// See `SubscriberQueueBase`.
@usableFromInline
final class SubscriberQueue<Element: Sendable>: SubscriberQueueBase, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var backlog = RingBuffer<Element>()

  @usableFromInline
  override init(policy: BufferingPolicy, place: SignalPlace? = nil) {
    super.init(policy: policy, place: place)
  }

  /// Adds an element if the policy keeps it; an older one may be evicted.
  @inlinable
  func offer(_ element: Element, evicting evicted: inout Evicted<Element>) {
    if let place { return place.mark() }
    switch policy {
    case .bufferingNewest(let limit) where count == limit:
      droppedCount += 1
      evicted.add(backlog.replaceFirst(appending: element))
    case .bufferingOldest(let limit) where count == limit: droppedCount += 1
    case .unbounded, .bufferingNewest, .bufferingOldest:
      count += 1
      backlog.append(element)
    }
  }

  /// Takes the first element on the fast path.
  @inlinable
  func popFirst() -> Element? {
    guard count > 0, takenCount != endOfRun else { return nil }
    return removeFirst()
  }

  /// Takes the first element on the slow path.
  func takeFirst() -> Element? {
    guard count > 0 else { return nil }
    endOfRun = takenCount + 1 + Self.longestRun
    return removeFirst()
  }

  @inlinable
  func removeFirst() -> Element? {
    takenCount += 1
    count -= 1
    return backlog.popFirst()
  }
}
