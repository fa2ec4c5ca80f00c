import AsyncChannels
import AsyncChannelsRecording
import Journeys

extension Workload {
  /// What it costs that a channel can be recorded, and what it costs to record it: a send and its take,
  /// which are two events.
  static func recordings(_ scale: Scale) -> Workload {
    let count = scale.count(200_000)
    // A recording keeps 10,000 events unless it is told otherwise.
    let recorded = scale.count(4_000)
    return Workload(
      name: "recording", unit: "event",
      cases: [
        recordings(of: "Int", count, recorded) { $0 },
        recordings(of: "struct", count, recorded) { Measurement(number: $0, unit: "mm") },
      ])
  }

  private static func recordings<Element: Sendable>(
    of name: String, _ count: Int, _ recorded: Int, element: @escaping @Sendable (Int) -> Element
  ) -> Case {
    Case(
      subscribers: 1, element: name,
      subjects: [
        Subject(name: "not recorded") { try await sendAndTake(count, element) },
        Subject(name: "another is recorded") {
          try await withRecording { try await sendAndTake(count, element) }
        },
        Subject(name: "recorded") { try await sendAndTakeRecorded(recorded, element) },
      ], reference: "not recorded")
  }
}

/// An element that a recording describes field by field.
private struct Measurement {
  let number: Int
  let unit: String
}

/// While another channel is recorded.
private func withRecording(_ work: () async throws -> Double) async rethrows -> Double {
  let other = Channel<Int>()
  let recording = Recording()
  recording.add(other, as: "other")
  defer { withExtendedLifetime((other, recording)) {} }
  return try await work()
}

/// Returns the nanoseconds of each event.
private func sendAndTake<Element: Sendable>(
  _ count: Int, _ element: @escaping @Sendable (Int) -> Element, in recording: Recording? = nil
) async throws -> Double {
  try await inChildTask {
    let channel = Channel<Element>()
    recording?.add(channel, as: "channel")
    let iterator = channel.outlet.makeAsyncIterator()
    var taken = 0
    let time = await nanoseconds {
      for number in 0..<count {
        channel.send(element(number))
        if await iterator.next() != nil { taken += 1 }
      }
    }
    try WrongCount.check("recording", taken, is: count)
    return time / Double(2 * count)
  }
}

private func sendAndTakeRecorded<Element: Sendable>(
  _ count: Int, _ element: @escaping @Sendable (Int) -> Element
) async throws -> Double {
  let recording = Recording()
  let time = try await sendAndTake(count, element, in: recording)
  // A line with the lane's name, one for each event, and one for the end.
  let lines = recording.text(legend: false).split(separator: "\n").count
  try WrongCount.check("recorded events", lines - 2, is: 2 * count)
  return time
}
