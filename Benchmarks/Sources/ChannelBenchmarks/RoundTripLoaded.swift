import AsyncChannels
import Journeys

extension Workload {
  /// As `round-trip`, while other threads want the cores.
  static func roundTripLoaded(_ scale: Scale) -> Workload {
    let duration = scale.duration(.milliseconds(200))
    return Workload(
      name: "round-trip-loaded", unit: "round trip",
      cases: Circumstances.allCases.flatMap { circumstances in
        Scale.busyThreads.map { busyThreads in
          Case(
            subscribers: 1, element: "\(busyThreads) busy\(circumstances.rawValue)",
            subjects: [
              Subject(
                name: "AsyncChannels",
                sample: {
                  try await whileBusy(busyThreads) {
                    try await circumstances.measure(duration, Ways.channels())
                  }
                }),
              Subject(
                name: "AsyncStream",
                sample: {
                  try await whileBusy(busyThreads) {
                    try await circumstances.measure(duration, Ways.streams())
                  }
                }),
            ], reference: "AsyncStream")
        }
      })
  }
}

/// What else may be in the way of the two tasks.
private enum Circumstances: String {
  case none = ""
  /// The one that begins each trip.
  case nearInBackground = ", near side background"
  case farInBackground = ", far side background"
  case oneCore = ", one core"

  static var allCases: [Circumstances] {
    [.none, .nearInBackground, .farInBackground] + (Cores.canPin ? [.oneCore] : [])
  }

  func measure(
    _ duration: Duration, _ ways: Ways<some AsyncSequence<Int, Never> & Sendable>
  ) async throws -> Sample {
    switch self {
    case .none: try await roundTrips(for: duration, ways)
    // Trips that wait for a background thread are few.
    case .nearInBackground: try await roundTrips(for: duration * 3, ways, near: .background)
    case .farInBackground: try await roundTrips(for: duration * 3, ways, far: .background)
    case .oneCore: try await Cores.one { try await roundTrips(for: duration, ways) }
    }
  }
}

/// Round trips for so long, each timed. Detached tasks, for which nobody waits before they are done:
/// waiting for a task raises its priority.
private func roundTrips(
  for duration: Duration, _ ways: Ways<some AsyncSequence<Int, Never> & Sendable>,
  near: TaskPriority? = nil, far: TaskPriority? = nil
) async throws -> Sample {
  let (ends, end) = AsyncStream.makeStream(of: Void.self)
  let farSide = Task.detached(priority: far) {
    var count = 0
    for await element in ways.there {
      await ways.sendBack(element)
      count += 1
    }
    let priority = Task.currentPriority
    end.yield()
    return (count, priority)
  }
  let nearSide = Task.detached(priority: near) {
    var iterator = ways.back.makeAsyncIterator()
    var (trips, count) = (0, 0)
    let start = ContinuousClock.now
    var (last, worst) = (start, Duration.zero)
    while last - start < duration {
      await ways.sendThere(trips)
      if await iterator.next(isolation: nil) == trips { count += 1 }
      trips += 1
      let now = ContinuousClock.now
      worst = max(worst, now - last)
      last = now
    }
    let priority = Task.currentPriority
    ways.finish()
    end.yield()
    let sample = Sample((last - start).nanoseconds / Double(trips), worst: worst.nanoseconds)
    return (trips, count, sample, priority)
  }
  var both = ends.makeAsyncIterator()
  for _ in 0..<2 { await both.next(isolation: #isolation) }
  let (returned, farPriority) = await farSide.value
  let (trips, count, sample, nearPriority) = await nearSide.value
  try WrongCount.check("round-trip-loaded, there", returned, is: trips)
  try WrongCount.check("round-trip-loaded, back", count, is: trips)
  for (wanted, was) in [(near, nearPriority), (far, farPriority)] where wanted ?? was != was {
    throw WrongCount(description: "a task of priority \(wanted ?? was) ran with \(was)")
  }
  return sample
}
