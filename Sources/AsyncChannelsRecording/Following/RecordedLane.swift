import AsyncChannels

/// A lane of an `EventStore`: the numbers of the elements that are where the log has the elements.
///
/// It follows the log step by step, with the log's lock held: what the log adds, replays and drops,
/// this does with the numbers. Of elements that were there before the recording began the number is
/// nil.
struct RecordedLane: Sendable {
  var lane: Flow.Lane
  /// By slot of the shared log, from the first on. What is taken by all is not told apart from what is not: an element
  /// is forgotten with its event.
  private var slots = NumberQueue()
  private var firstSlot = 0
  private var queues: [Int: NumberQueue] = [:]
  private var window = NumberQueue()
  private var subscribers: [Int: Subscriber] = [:]
  private var lastSubscription = 0
  /// What was sent to a state last.
  var sent: PendingText?

  private struct Subscriber {
    /// That of its subscription, counted from 1.
    let number: Int
    /// The event of its last take.
    var lastTake: Int?
  }

  init(_ lane: Flow.Lane) {
    self.lane = lane
  }

  /// The lane with the newest value of a state.
  var known: Flow.Lane {
    var lane = lane
    if let words = sent?.known { lane.value = words }
    return lane
  }

  mutating func prepare(_ log: LogPicture) {
    for queue in log.queues {
      queues[queue.subscriber] = NumberQueue(unknown: queue.count)
      _ = number(of: queue.subscriber)
    }
    window = NumberQueue(unknown: log.replayed)
  }

  /// The number of a subscription; a new one if it was not seen before.
  mutating func number(of subscriber: Int) -> Int {
    note(subscriber) { $0.number }
  }

  /// The same for one that takes an element.
  mutating func number(of subscriber: Int, takingIn event: Int) -> Int {
    note(subscriber) {
      $0.lastTake = event
      return $0.number
    }
  }

  func lastTake(of subscriber: Int) -> Int? { subscribers[subscriber]?.lastTake }

  private mutating func note(
    _ subscriber: Int, _ change: (inout Subscriber) -> Int
  ) -> Int {
    let next = lastSubscription + 1
    let number = change(&subscribers[subscriber, default: Subscriber(number: next)])
    lastSubscription = max(number, lastSubscription)
    return number
  }

  /// Whether it tells of a subscriber that never was one: it came when the channel had ended.
  func isOfStranger(_ event: LogEvent) -> Bool {
    switch event {
    case .left(let subscriber, _), .cancelled(let subscriber), .displaced(let subscriber):
      subscriber == 0
    default: false
    }
  }

  /// - Returns: What a bounded one has no room for, of what is replayed.
  mutating func subscribe(
    _ subscriber: Int, buffering policy: BufferingPolicy, replays: Bool
  ) -> [Int?] {
    guard replays else { return [] }
    return window.all.compactMap { offer($0, to: subscriber, policy) }.map(\.element)
  }

  mutating func forget(_ subscriber: Int) {
    subscribers[subscriber] = nil
    queues[subscriber] = nil
  }

  mutating func add(_ element: Int, slot: Int) {
    if slots.count == 0 { firstSlot = slot }
    while firstSlot + slots.count < slot { slots.append(nil) }
    slots.append(element)
  }

  func element(in slot: Int) -> Int? { slots[slot - firstSlot] }

  /// Elements are forgotten in the order in which they were sent.
  mutating func forgetElement(_ element: Int) {
    while slots.count > 0, slots[0] ?? 0 <= element {
      _ = slots.removeFirst()
      firstSlot += 1
    }
  }

  mutating func replay(_ element: Int, limit: Int) {
    if window.count == limit { _ = window.removeFirst() }
    window.append(element)
  }

  mutating func pop(from subscriber: Int) -> Int? {
    guard let count = queues[subscriber]?.count, count > 0 else { return nil }
    return queues[subscriber]?.removeFirst() ?? nil
  }

  /// What the policy drops, if it drops one.
  struct Dropped {
    let element: Int?
  }

  /// See `SubscriberQueue.offer`.
  mutating func offer(
    _ element: Int?, to subscriber: Int, _ policy: BufferingPolicy
  ) -> Dropped? {
    let count = queues[subscriber, default: NumberQueue()].count
    if case .bufferingOldest(let limit) = policy, count >= limit {
      return Dropped(element: element)
    }
    queues[subscriber, default: NumberQueue()].append(element)
    guard case .bufferingNewest(let limit) = policy, count >= limit else { return nil }
    return Dropped(element: pop(from: subscriber))
  }
}
