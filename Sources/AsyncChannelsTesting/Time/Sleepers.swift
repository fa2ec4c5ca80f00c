/// Those who sleep on a clock: a heap by deadline, and of one deadline in the order in which they fell asleep.
struct Sleepers<Sleeper, Deadline: Comparable> {
  private struct Place {
    let deadline: Deadline
    let number: Int

    static func < (one: Place, other: Place) -> Bool {
      (one.deadline, one.number) < (other.deadline, other.number)
    }
  }

  /// The first is the next. May have places of those who have left: never of the next, and at most as many as
  /// there are others.
  private var heap: [Place] = []
  private var sleepers: [Int: Sleeper] = [:]

  var count: Int { sleepers.count }
  var nextDeadline: Deadline? { heap.first?.deadline }

  /// The earliest first.
  var deadlines: [Deadline] {
    heap.filter { sleepers[$0.number] != nil }.map(\.deadline).sorted()
  }

  /// - Parameter number: Higher than all before.
  mutating func insert(_ sleeper: Sleeper, _ number: Int, until deadline: Deadline) {
    sleepers[number] = sleeper
    heap.append(Place(deadline: deadline, number: number))
    var index = heap.count - 1
    while index > 0, heap[index] < heap[(index - 1) / 2] {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Nil if it does not sleep.
  mutating func remove(_ number: Int) -> Sleeper? {
    guard let sleeper = sleepers.removeValue(forKey: number) else { return nil }
    if heap.count > 2 * sleepers.count {
      // In order, it is a heap.
      heap = heap.filter { sleepers[$0.number] != nil }.sorted { $0 < $1 }
    }
    dropThoseWhoLeft()
    return sleeper
  }

  /// Those whose deadline is this one or earlier.
  mutating func popAll(until deadline: Deadline) -> [Sleeper] {
    var all: [Sleeper] = []
    while let next = heap.first, next.deadline <= deadline {
      if let sleeper = sleepers.removeValue(forKey: next.number) { all.append(sleeper) }
      dropFirst()
    }
    dropThoseWhoLeft()
    return all
  }

  private mutating func dropThoseWhoLeft() {
    while let next = heap.first, sleepers[next.number] == nil { dropFirst() }
  }

  private mutating func dropFirst() {
    let last = heap.removeLast()
    if heap.isEmpty { return }
    heap[0] = last
    var index = 0
    while true {
      let (left, right) = (2 * index + 1, 2 * index + 2)
      var least = index
      if left < heap.count, heap[left] < heap[least] { least = left }
      if right < heap.count, heap[right] < heap[least] { least = right }
      if least == index { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}
