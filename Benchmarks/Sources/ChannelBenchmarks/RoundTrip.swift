import AsyncAlgorithms
import AsyncChannels
import Journeys

extension Workload {
  /// Two tasks, two channels, one element to and fro.
  static func roundTrip(_ scale: Scale) -> Workload {
    let trips = scale.count(20_000)
    return Workload(
      name: "round-trip", unit: "round trip",
      cases: [
        Case(
          subscribers: 1, element: "Int",
          subjects: [
            Subject(name: "AsyncChannels") { try await roundTripChannels(trips) },
            Subject(name: "AsyncStream") { try await roundTripStreams(trips) },
            Subject(name: "AsyncChannel") { try await roundTripAsyncChannels(trips) },
          ], reference: "AsyncStream")
      ])
  }
}

private func roundTripChannels(_ trips: Int) async throws -> Double {
  let (there, back) = (Channel<Int>(), Channel<Int>())
  return try await roundTrip(
    trips, there.outlet.subscribe(), back.outlet.subscribe(), sendThere: { there.send($0) },
    sendBack: { back.send($0) }, finish: { there.finish() })
}

private func roundTripStreams(_ trips: Int) async throws -> Double {
  let there = AsyncStream.makeStream(of: Int.self)
  let back = AsyncStream.makeStream(of: Int.self)
  return try await roundTrip(
    trips, there.stream, back.stream, sendThere: { there.continuation.yield($0) },
    sendBack: { back.continuation.yield($0) }, finish: { there.continuation.finish() })
}

private func roundTripAsyncChannels(_ trips: Int) async throws -> Double {
  let (there, back) = (AsyncChannel<Int>(), AsyncChannel<Int>())
  return try await roundTrip(
    trips, there, back, sendThere: { await there.send($0) }, sendBack: { await back.send($0) },
    finish: { there.finish() })
}

private func roundTrip<Stream: AsyncSequence<Int, Never> & Sendable>(
  _ trips: Int, _ there: Stream, _ back: Stream,
  sendThere: @escaping @Sendable (Int) async -> Void,
  sendBack: @escaping @Sendable (Int) async -> Void, finish: @escaping @Sendable () -> Void
) async throws -> Double {
  let time = try await nanoseconds {
    try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask {
        var count = 0
        for await element in there {
          await sendBack(element)
          count += 1
        }
        return count
      }
      group.addTask {
        var iterator = back.makeAsyncIterator()
        var count = 0
        for trip in 0..<trips {
          await sendThere(trip)
          if await iterator.next(isolation: nil) == trip { count += 1 }
        }
        finish()
        return count
      }
      for try await count in group { try WrongCount.check("\(Stream.self)", count, is: trips) }
    }
  }
  return time / Double(trips)
}
