import AsyncChannels
import Journeys

extension Workload {
  /// From a send to sleeping subscribers until the last of them has the element.
  static func lastWoken(_ scale: Scale) -> Workload {
    let sends = 3
    return Workload(
      name: "last-woken", unit: "send",
      cases: [10_000, 100_000].map { full in
        let count = scale.count(full)
        return Case(
          subscribers: count, element: "Int",
          subjects: [
            Subject(name: "AsyncChannels") { try await wakeChannel(count, sends: sends) },
            Subject(name: "AsyncStream dictionary") { try await wakeStreams(count, sends: sends) },
          ], reference: "AsyncStream dictionary")
      })
  }
}

private func wakeChannel(_ count: Int, sends: Int) async throws -> Double {
  let channel = Channel<Int>()
  return try await wake(
    (0..<count).map { _ in channel.outlet.subscribe() }, sends: sends, { channel.send($0) },
    channel.finish)
}

private func wakeStreams(_ count: Int, sends: Int) async throws -> Double {
  let listeners = StreamDictionary<Int>()
  return try await wake(
    (0..<count).map { _ in listeners.subscribe() }, sends: sends, listeners.send, listeners.finish)
}

/// The median of several sends, each after all subscribers have fallen asleep again.
private func wake<Stream: AsyncSequence<Int, Never> & Sendable>(
  _ streams: [Stream], sends: Int, _ send: @escaping @Sendable (Int) -> Void,
  _ finish: @escaping @Sendable () -> Void
) async throws -> Double {
  let taken = Tally()
  let (ends, end) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
  // No child tasks: a group of so many looks through all of them for one that has ended.
  let tasks = streams.map { stream in
    Task.detached {
      var count = 0
      for await number in stream where number == count {
        count += 1
        if taken.raise().isMultiple(of: streams.count) { end.yield(.now) }
      }
      return count
    }
  }
  let times = try await inChildTask {
    var times: [Double] = []
    var iterator = ends.makeAsyncIterator()
    for number in 0...sends {
      let start = ContinuousClock.now
      send(number)
      guard let end = await iterator.next() else { break }
      times.append((end - start).nanoseconds)
      // The last ones still have to fall asleep.
      try await Task.sleep(for: .milliseconds(20))
    }
    return times
  }
  finish()
  for task in tasks { try WrongCount.check("last-woken", await task.value, is: sends + 1) }
  // The first is not counted: some of the tasks had not begun, and did not sleep.
  return times.dropFirst().sorted()[sends / 2]
}
