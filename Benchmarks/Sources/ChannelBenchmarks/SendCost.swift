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
              try await timedSends(count, scale.isQuick || count > 10_000 ? 5 : 20).usual
            }
          }, reference: "1 waiting")
      ])
  }
}

extension Workload {
  /// As `send-cost`, while other threads want the cores.
  static func sendCostLoaded(_ scale: Scale) -> Workload {
    let counts = scale.isQuick ? [1, 100] : [1, 100, 10_000]
    return Workload(
      name: "send-cost-loaded", unit: "send",
      cases: Scale.busyThreads.map { busyThreads in
        Case(
          subscribers: 1, element: "\(busyThreads) busy",
          subjects: counts.map { count in
            Subject(
              name: "\(count) waiting", subscribers: count,
              sample: {
                try await whileBusy(busyThreads) {
                  try await timedSends(count, scale.isQuick ? 2 : count > 100 ? 5 : 20)
                }
              })
          }, reference: "1 waiting")
      })
  }
}

/// Several sends, each after all subscribers have fallen asleep again.
private func timedSends(_ subscribers: Int, _ sends: Int) async throws -> Sample {
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
  return try await withThrowingTaskGroup(of: Sample?.self) { group in
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
      return Sample(timesOfEach: times)
    }
    var sample = Sample(.nan)
    for try await sends in group { if let sends { sample = sends } }
    try WrongCount.check("send-cost", taken.value, is: sends * subscribers)
    return sample
  }
}
