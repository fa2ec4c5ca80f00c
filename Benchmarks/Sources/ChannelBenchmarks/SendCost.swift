import AsyncChannels

extension Workload {
  /// What one `send` costs its caller while S subscribers wait.
  static func sendCost(_ scale: Scale) -> Workload {
    let counts = scale.isQuick ? [1, 100] : [1, 100, 10_000]
    let sends = scale.isQuick ? 5 : 200
    return Workload(
      name: "send-cost", unit: "send",
      cases: [
        Case(
          subscribers: counts.last ?? 1, element: "Int",
          subjects: counts.map { count in
            Subject(name: "\(count) waiting") { try await medianSend(count, sends: sends) }
          }, reference: "1 waiting")
      ])
  }
}

/// The median of several sends, each after all subscribers have fallen asleep again.
private func medianSend(_ subscribers: Int, sends: Int) async throws -> Double {
  let sends = max(5, min(sends, 200_000 / subscribers))
  let channel = Channel<Int>()
  let subscriptions = (0..<subscribers).map { _ in channel.outlet.subscribe() }
  let taken = Tally()
  return try await withThrowingTaskGroup(of: Double?.self) { group in
    for subscription in subscriptions {
      group.addTask {
        for await _ in subscription { taken.raise() }
        return nil
      }
    }
    group.addTask {
      var times: [Double] = []
      for send in 1...sends {
        // All have taken what was sent, and had the time to fall asleep.
        try await Task.sleep(for: .milliseconds(subscribers > 1000 ? 20 : 2))
        let start = ContinuousClock.now
        channel.send(send)
        times.append((ContinuousClock.now - start).nanoseconds)
        while taken.value < send * subscribers { await Task.yield() }
      }
      channel.finish()
      return times.sorted()[times.count / 2]
    }
    var median = 0.0
    for try await time in group { if let time { median = time } }
    try WrongCount.check(
      "send-cost", taken.value, is: sends * subscribers)
    return median
  }
}
