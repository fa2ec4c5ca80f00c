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
            Subject(name: "AsyncChannels") { try await meanOfTrips(trips, Ways.channels()) },
            Subject(name: "AsyncStream") { try await meanOfTrips(trips, Ways.streams()) },
            Subject(name: "AsyncChannel") { try await meanOfTrips(trips, Ways.asyncChannels()) },
          ], reference: "AsyncStream")
      ])
  }
}

/// A way there and a way back, of the same kind.
struct Ways<Stream: AsyncSequence<Int, Never> & Sendable>: Sendable {
  let there: Stream
  let back: Stream
  let sendThere: @Sendable (Int) async -> Void
  let sendBack: @Sendable (Int) async -> Void
  let finish: @Sendable () -> Void
}

extension Ways<Subscription<Int>> {
  static func channels() -> Self {
    let (there, back) = (Channel<Int>(), Channel<Int>())
    return Ways(
      there: there.outlet.subscribe(), back: back.outlet.subscribe(),
      sendThere: { there.send($0) }, sendBack: { back.send($0) }, finish: { there.finish() })
  }
}

extension Ways<AsyncStream<Int>> {
  static func streams() -> Self {
    let there = AsyncStream.makeStream(of: Int.self)
    let back = AsyncStream.makeStream(of: Int.self)
    return Ways(
      there: there.stream, back: back.stream, sendThere: { there.continuation.yield($0) },
      sendBack: { back.continuation.yield($0) }, finish: { there.continuation.finish() })
  }
}

extension Ways<AsyncChannel<Int>> {
  static func asyncChannels() -> Self {
    let (there, back) = (AsyncChannel<Int>(), AsyncChannel<Int>())
    return Ways(
      there: there, back: back, sendThere: { await there.send($0) },
      sendBack: { await back.send($0) }, finish: { there.finish() })
  }
}

private func meanOfTrips(_ trips: Int, _ ways: Ways<some AsyncSequence<Int, Never> & Sendable>)
  async throws -> Double
{
  let time = try await nanoseconds {
    try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask {
        var count = 0
        for await element in ways.there {
          await ways.sendBack(element)
          count += 1
        }
        return count
      }
      group.addTask {
        var iterator = ways.back.makeAsyncIterator()
        var count = 0
        for trip in 0..<trips {
          await ways.sendThere(trip)
          if await iterator.next(isolation: nil) == trip { count += 1 }
        }
        ways.finish()
        return count
      }
      for try await count in group { try WrongCount.check("round-trip", count, is: trips) }
    }
  }
  return time / Double(trips)
}
