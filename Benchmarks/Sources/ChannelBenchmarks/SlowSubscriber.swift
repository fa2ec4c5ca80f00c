import AsyncChannels
import Journeys

extension Workload {
  /// A thousand subscribers that keep up, and one more that is slow: a delivery to the thousand.
  static func slowSubscriber(_ scale: Scale) -> Workload {
    let elements = scale.elements(1_000, deliveries: 5_000_000)
    return Workload(
      name: "slow-subscriber", unit: "delivery",
      cases: [
        Case(
          subscribers: 1_000, element: "Int",
          subjects: [
            Subject(name: "all fast") { try await sendToFast(elements, slow: nil) },
            Subject(name: "one slow, newest 16", subscribers: 1_001) {
              try await sendToFast(elements, slow: .bufferingNewest(16))
            },
            Subject(name: "one slow, oldest 16", subscribers: 1_001) {
              try await sendToFast(elements, slow: .bufferingOldest(16))
            },
          ], reference: "all fast")
      ])
  }
}

/// Until the last of the fast ones has everything. The slow one goes on, and what it took and what it
/// missed is together what was sent.
private func sendToFast(
  _ elements: Range<Int>, slow policy: BufferingPolicy?
) async throws -> Double {
  let channel = Channel<Int>()
  let fast = (0..<1_000).map { _ in channel.outlet.subscribe() }
  let slow = policy.map { channel.outlet.subscribe(buffering: $0) }
  return try await withThrowingTaskGroup(of: Int?.self) { group in
    if let slow {
      group.addTask {
        let taken = try await takeSlowly(slow)
        try WrongCount.check("the slow one", taken + slow.droppedCount, is: elements.count)
        return nil
      }
    }
    let start = ContinuousClock.now
    for subscription in fast {
      group.addTask {
        var count = 0
        for await _ in subscription { count += 1 }
        return count
      }
    }
    group.addTask {
      for element in elements { channel.send(element) }
      channel.finish()
      return nil
    }
    var (end, counted) = (start, 0)
    for try await count in group {
      guard let count else { continue }
      try WrongCount.check("a fast one", count, is: elements.count)
      counted += 1
      if counted == fast.count { end = .now }
    }
    try WrongCount.check("fast ones", counted, is: fast.count)
    return (end - start).nanoseconds / Double(elements.count * fast.count)
  }
}

/// Rests after each element, as a listener does that draws it. The elements come in order.
private func takeSlowly(_ subscription: Subscription<Int>) async throws -> Int {
  var (taken, last) = (0, -1)
  for await element in subscription {
    guard element > last else { throw WrongCount(description: "\(element) after \(last)") }
    (taken, last) = (taken + 1, element)
    try await Task.sleep(for: .milliseconds(1))
  }
  return taken
}
