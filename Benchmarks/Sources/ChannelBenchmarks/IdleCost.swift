import AsyncChannels
import Foundation
import Journeys

extension Workload {
  /// The processor time that an element costs, from its send until its consumer waits for the next, for
  /// elements that come at a steady rate.
  static func idleCost(_ scale: Scale) -> Workload {
    let rates: [(name: String, interval: Duration, beats: Int)] = [
      ("60 Hz", .nanoseconds(16_666_667), 60), ("1 kHz", .milliseconds(1), 500),
      ("50 kHz", .microseconds(20), 10_000),
    ]
    return Workload(
      name: "idle-cost", unit: "beat",
      cases: rates.map { name, interval, beats in
        let beats = scale.count(beats)
        return Case(
          subscribers: 1, element: name,
          subjects: [
            Subject(name: "AsyncChannels") {
              let channel = Channel<Int>()
              return try await processorTime(
                of: channel.outlet.subscribe(), beats, interval, { channel.send($0) },
                channel.finish)
            },
            Subject(name: "AsyncStream") {
              let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
              return try await processorTime(
                of: stream, beats, interval, { continuation.yield($0) }, { continuation.finish() })
            },
          ], reference: "AsyncStream")
      })
  }
}

/// Of the whole process, for each beat. A thread sends; its pauses are not counted, because it spins for
/// short ones.
private func processorTime(
  of stream: some AsyncSequence<Int, Never> & Sendable, _ beats: Int, _ interval: Duration,
  _ send: @escaping @Sendable (Int) -> Void, _ finish: @escaping @Sendable () -> Void
) async throws -> Double {
  let taken = Tally()
  let consumer = Task.detached { for await _ in stream { taken.raise() } }
  // It falls asleep before the first beat.
  try await Task.sleep(for: .milliseconds(20))
  let (results, result) = AsyncStream.makeStream(of: Double.self)
  Thread.detachNewThread {
    var pauses = 0.0
    let start = ContinuousClock.now
    let before = seconds(of: CLOCK_PROCESS_CPUTIME_ID)
    for beat in 1...beats {
      send(beat)
      let paused = seconds(of: CLOCK_THREAD_CPUTIME_ID)
      pause(until: start + interval * beat)
      pauses += seconds(of: CLOCK_THREAD_CPUTIME_ID) - paused
    }
    result.yield(seconds(of: CLOCK_PROCESS_CPUTIME_ID) - before - pauses)
  }
  var iterator = results.makeAsyncIterator()
  let time = await iterator.next(isolation: #isolation) ?? .nan
  finish()
  await consumer.value
  try WrongCount.check("idle-cost", taken.value, is: beats)
  return time * 1e9 / Double(beats)
}

/// Sleeps for most of a long pause. The system wakes a thread some 50 µs late, so it spins for the rest.
private func pause(until end: ContinuousClock.Instant) {
  let rest = (end - .now).nanoseconds / 1_000
  if rest > 300 { usleep(UInt32(rest - 200)) }
  while ContinuousClock.now < end {}
}

private func seconds(of clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
