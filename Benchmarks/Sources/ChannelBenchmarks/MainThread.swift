import AsyncChannels
import Foundation
import Journeys

extension Workload {
  /// What the main thread may ask of a subscription whose consumer is at work on another thread, beside a
  /// bare `Mutex` that another thread takes as often.
  static func mainThread(_ scale: Scale) -> Workload {
    let duration = scale.duration(.milliseconds(500))
    return Workload(
      name: "main-thread", unit: "call",
      cases: MainThreadCall.possible.flatMap { call in
        [0, 2, 12].map { busyThreads in
          let pace = Shared(Duration.milliseconds(1))
          return Case(
            subscribers: 1, element: "\(call.rawValue), \(busyThreads) busy",
            subjects: [
              Subject(
                name: "AsyncChannels",
                sample: {
                  try await whileBusy(busyThreads) {
                    let (sample, takes) = try await time(call, for: duration)
                    pace.withLock { $0 = takes }
                    return sample
                  }
                }),
              Subject(
                name: "Mutex",
                sample: {
                  await whileBusy(busyThreads) {
                    await timeMutex(
                      takenEach: pace.withLock { $0 }, as: call, for: duration)
                  }
                }),
            ], reference: "Mutex")
        }
      })
  }
}

private enum MainThreadCall: String {
  /// The main actor asks for the next element, and so takes the subscription over.
  case takeover
  case pendingCount, subscriberCount

  static var possible: [MainThreadCall] {
    if #available(macOS 26, *) {
      [.takeover, .pendingCount, .subscriberCount]
    } else {
      [.pendingCount, .subscriberCount]
    }
  }
}

/// Times calls while two tasks send an element to and fro. Each trip takes the channel's lock to send, and
/// the subscription's to take: also returns how far apart these are.
@MainActor
private func time(
  _ call: MainThreadCall, for duration: Duration
) async throws -> (sample: Sample, takes: Duration) {
  let (there, back) = (Channel<Int>(), Channel<Int>())
  let (goes, comes) = (there.outlet.subscribe(), back.outlet.subscribe())
  let trips = Tally()
  let isOver = Shared(false)
  let far = Task.detached {
    // Each takeover ends the loop. The next one takes over in turn.
    while !isOver.withLock({ $0 }) { for await trip in goes { back.send(trip) } }
  }
  let near = Task.detached {
    there.send(0)
    for await trip in comes {
      trips.raise()
      there.send(trip + 1)
    }
  }
  let start = ContinuousClock.now
  let sample = timeCalls(for: duration) {
    switch call {
    case .takeover: startOnMainThread { if let trip = await goes.next() { back.send(trip) } }
    case .pendingCount: _ = goes.pendingCount
    case .subscriberCount: _ = there.subscriberCount
    }
  }
  let takes = (ContinuousClock.now - start) / max(1, 2 * trips.value)
  isOver.withLock { $0 = true }
  there.finish()
  back.finish()
  await far.value
  await near.value
  return (sample, takes)
}

/// Times calls that take a lock, which a thread takes too, at this interval.
@MainActor
private func timeMutex(
  takenEach interval: Duration, as call: MainThreadCall, for duration: Duration
) async -> Sample {
  let count = Shared(0)
  let isOver = Shared(false)
  let (ends, end) = AsyncStream.makeStream(of: Void.self)
  Thread.detachNewThread {
    while !isOver.withLock({ $0 }) {
      let next = ContinuousClock.now + interval
      count.withLock { $0 += 1 }
      while ContinuousClock.now < next {}
    }
    end.finish()
  }
  let sample = timeCalls(for: duration) {
    if call == .takeover {
      startOnMainThread { count.withLock { $0 += 1 } }
    } else {
      count.withLock { $0 += 1 }
    }
  }
  isOver.withLock { $0 = true }
  for await _ in ends {}
  return sample
}

@MainActor
private func timeCalls(for duration: Duration, _ call: () -> Void) -> Sample {
  let end = ContinuousClock.now + duration
  var times: [Double] = []
  repeat {
    usleep(500)
    let start = ContinuousClock.now
    call()
    times.append((ContinuousClock.now - start).nanoseconds)
  } while ContinuousClock.now < end
  return Sample(timesOfEach: times)
}

/// Returns when the work suspends for the first time, or has ended.
@MainActor
private func startOnMainThread(_ work: @escaping @MainActor @Sendable () async -> Void) {
  guard #available(macOS 26, *) else { fatalError("This needs a task that starts immediately.") }
  Task.immediate { @MainActor in await work() }
}
