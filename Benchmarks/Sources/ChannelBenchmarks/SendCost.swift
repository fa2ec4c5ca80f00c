import AsyncChannels
import Journeys

extension Workload {
  /// What one `send` costs its caller while S subscribers wait.
  static func sendCost(_ scale: Scale) -> Workload {
    let counts = scale.isQuick ? [1, 100] : [1, 100, 10_000, 100_000]
    return Workload(
      name: "send-cost", unit: "send",
      cases: [
        Case(
          subscribers: 1, element: "Int",
          subjects: counts.map { count in
            Subject(name: "\(count) waiting", subscribers: count) {
              try await medianSend(count, sends: scale.isQuick || count > 10_000 ? 5 : 20)
            }
          }, reference: "1 waiting")
      ])
  }
}

/// The median of several sends, each after all subscribers have fallen asleep again.
private func medianSend(_ subscribers: Int, sends: Int) async throws -> Double {
  let channel = Channel<Int>()
  let subscriptions = (0..<subscribers).map { _ in channel.outlet.subscribe() }
  let taken = Tally()
  // Two more channels are sent to before, one with few sleepers and one with several, which are the
  // two ways to wake: what thousands of tasks leave in the caches is not what a send costs.
  let warmUps = [Channel<Int>(), Channel<Int>()]
  let warmUpSubscriptions = [
    warmUps[0].outlet.subscribe(), warmUps[1].outlet.subscribe(), warmUps[1].outlet.subscribe(),
    warmUps[1].outlet.subscribe(),
  ]
  return try await withThrowingTaskGroup(of: Double?.self) { group in
    for subscription in subscriptions {
      group.addTask {
        for await _ in subscription { taken.raise() }
        return nil
      }
    }
    for subscription in warmUpSubscriptions {
      group.addTask {
        for await _ in subscription {}
        return nil
      }
    }
    group.addTask {
      var times: [Double] = []
      for send in 1...sends {
        // All have taken what was sent, and had the time to fall asleep.
        try await Task.sleep(for: .milliseconds(20))
        for warmUp in warmUps { warmUp.send(send) }
        let start = ContinuousClock.now
        channel.send(send)
        times.append((ContinuousClock.now - start).nanoseconds)
        while taken.value < send * subscribers { await Task.yield() }
      }
      channel.finish()
      for warmUp in warmUps { warmUp.finish() }
      return times.sorted()[times.count / 2]
    }
    var median = 0.0
    for try await time in group { if let time { median = time } }
    try WrongCount.check("send-cost", taken.value, is: sends * subscribers)
    return median
  }
}
