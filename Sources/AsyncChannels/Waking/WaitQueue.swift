/// Doorbells in the order in which their consumers fell asleep: a linked list.
///
/// `@unchecked Sendable`: the links of the doorbells are reached only by the code that has the
/// list.
@usableFromInline
struct Sleepers: @unchecked Sendable {
  private(set) var first: Doorbell?
  fileprivate unowned(unsafe) var last: Doorbell?
  @usableFromInline fileprivate(set) var count = 0

  init() {}

  /// Appends all of `others` in their order, in O(1).
  mutating func append(_ others: consuming Sleepers) {
    guard let joint = others.first else { return }
    if let last { last.next = joint } else { first = joint }
    (last, count) = (others.last, count + others.count)
  }

  mutating func append(_ bell: Doorbell) {
    bell.previous = last
    if let last { last.next = bell } else { first = bell }
    last = bell
    count += 1
  }

  /// Cuts off the first so many, which stay linked to each other, and returns the first. There are more.
  mutating func cutFirst(_ number: Int) -> Doorbell? {
    let cut = first
    var end = cut
    for _ in 1..<number { end = end?.next }
    first = end?.next.take()
    count -= number
    return cut
  }

  fileprivate mutating func remove(_ bell: Doorbell) {
    if let next = bell.next { next.previous = bell.previous } else { last = bell.previous }
    // This drops the list's reference to `bell`; the caller has one.
    if let previous = bell.previous { previous.next = bell.next } else { first = bell.next }
    bell.next = nil
    count -= 1
  }
}

/// The sleepers of a log. Joining, leaving and taking all of them are O(1).
///
/// Invariant: a doorbell is linked in this queue if and only if its `generation` is the queue's.
/// Taking all starts a new generation, so that the doorbells that are taken need not be visited.
/// One that leaves late, when it was taken already, has an older generation, and leaving does
/// nothing.
@usableFromInline
package struct WaitQueue: Sendable {
  @usableFromInline private(set) var sleepers = Sleepers()
  private(set) var generation: UInt64 = 1

  @inlinable
  var count: Int { sleepers.count }

  /// The numbers of the subscribers that sleep. O(sleepers).
  var subscribers: [Int] {
    sequence(first: sleepers.first, next: { $0?.next }).compactMap { $0?.subscriber }
      .filter { $0 != 0 }
  }

  mutating func join(_ bell: Doorbell) {
    precondition(bell.generation != generation, "A doorbell joins a queue once.")
    bell.generation = generation
    sleepers.append(bell)
  }

  /// False if it was taken out already.
  @discardableResult
  mutating func leave(_ bell: Doorbell) -> Bool {
    guard bell.generation == generation else { return false }
    bell.generation = 0
    sleepers.remove(bell)
    return true
  }

  mutating func takeAll() -> Sleepers {
    generation += 1
    return exchange(&sleepers, with: Sleepers())
  }
}
