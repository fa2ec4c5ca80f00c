import AsyncChannels
import Foundation
import Journeys

extension Workload {
  /// What the main thread may ask of a subscription whose consumer is at work on another thread, beside a
  /// bare `Mutex` that another thread takes as often.
  static func mainThread(_ scale: Scale) -> Workload {
    let duration = scale.duration(.seconds(1))
    return Workload(
      name: "main-thread", unit: "call",
      cases: MainThreadCall.possible.flatMap { call in
        [0, 2, 12].map { busyThreads in
          Case(
            subscribers: 1, element: "\(call.rawValue), \(busyThreads) busy",
            subjects: [
              Subject(
                name: "AsyncChannels",
                sample: {
                  await whileBusy(busyThreads) { await time(call, for: duration) }
                }),
              Subject(
                name: "Mutex",
                sample: {
                  // As they take it while they run: how long the busy threads keep them from running is
                  // the same for both subjects.
                  let interval = await intervalOfTakes(for: duration / 10)
                  return await whileBusy(busyThreads) {
                    await timeMutex(takenEach: interval, as: call, for: duration)
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

/// Times calls while two tasks send an element to and fro.
@MainActor
private func time(_ call: MainThreadCall, for duration: Duration) async -> Sample {
  let traffic = Traffic()
  let sample = timeCalls(for: duration) {
    switch call {
    case .takeover: startOnMainThread { await traffic.takeOver() }
    case .pendingCount: _ = traffic.subscription.pendingCount
    case .subscriberCount: _ = traffic.channel.subscriberCount
    }
  }
  await traffic.end()
  return sample
}

/// How far apart the two tasks take the lock of the subscription, or of its channel, when nothing else
/// runs: each trip takes one to send and one to take.
private func intervalOfTakes(for duration: Duration) async -> Duration {
  let traffic = Traffic()
  let start = ContinuousClock.now
  try? await Task.sleep(for: duration)
  let trips = traffic.trips.value
  let interval = (ContinuousClock.now - start) / max(1, 2 * trips)
  await traffic.end()
  return interval
}

/// Two tasks that send an element to and fro.
private final class Traffic: Sendable {
  let channel = Channel<Int>()
  let subscription: Subscription<Int>
  let trips = Tally()
  private let back = Channel<Int>()
  private let isOver: Shared<Bool>
  private let tasks: [Task<Void, Never>]

  init() {
    let (channel, back, trips) = (channel, back, trips)
    let (goes, comes) = (channel.outlet.subscribe(), back.outlet.subscribe())
    let isOver = Shared(false)
    subscription = goes
    self.isOver = isOver
    tasks = [
      // Each takeover ends the loop. The next one takes over in turn.
      Task.detached {
        while !isOver.withLock({ $0 }) { for await trip in goes { back.send(trip) } }
      },
      Task.detached {
        channel.send(0)
        for await trip in comes {
          trips.raise()
          channel.send(trip + 1)
        }
      },
    ]
  }

  /// Returns what it takes to where it belongs.
  func takeOver() async {
    if let trip = await subscription.next() { back.send(trip) }
  }

  func end() async {
    isOver.withLock { $0 = true }
    channel.finish()
    back.finish()
    for task in tasks { await task.value }
  }
}

/// Times calls that take the lock of an array, to which a thread adds and removes an element by turns, at
/// this interval.
@MainActor
private func timeMutex(
  takenEach interval: Duration, as call: MainThreadCall, for duration: Duration
) async -> Sample {
  let array = Shared<[Int]>([])
  let isOver = Shared(false)
  let (ends, end) = AsyncStream.makeStream(of: Void.self)
  Thread.detachNewThread {
    while !isOver.withLock({ $0 }) {
      let next = ContinuousClock.now + interval
      array.withLock { if $0.isEmpty { $0.append(1) } else { $0.removeLast() } }
      while ContinuousClock.now < next {}
    }
    end.finish()
  }
  let sample = timeCalls(for: duration) {
    if call == .takeover {
      startOnMainThread { _ = array.withLock { $0.count } }
    } else {
      _ = array.withLock { $0.count }
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
