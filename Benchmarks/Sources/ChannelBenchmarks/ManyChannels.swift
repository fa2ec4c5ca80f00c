import AsyncChannels
import Journeys

extension Workload {
  /// Many channels with a subscriber each: an element to each of them, and then a take from each. With so
  /// many, none is in the processor's caches.
  static func manyChannels(_ scale: Scale) -> Workload {
    let count = scale.count(100_000)
    return Workload(
      name: "many-channels", unit: "send and take",
      cases: [
        Case(
          subscribers: count, element: "Int",
          subjects: [
            Subject(name: "AsyncChannels") {
              let channels = (0..<count).map { _ in Channel<Int>() }
              return try await sendToEach(
                channels.map { $0.outlet.subscribe() }, { channels[$0].send($0) })
            },
            Subject(name: "AsyncStream") {
              let streams = (0..<count).map { _ in AsyncStream.makeStream(of: Int.self) }
              return try await sendToEach(
                streams.map(\.stream), { streams[$0].continuation.yield($0) })
            },
          ], reference: "AsyncStream")
      ])
  }
}

private func sendToEach(
  _ streams: [some AsyncSequence<Int, Never> & Sendable], _ send: @escaping @Sendable (Int) -> Void
) async throws -> Double {
  try await inChildTask {
    var correct = 0
    let time = await nanoseconds {
      for index in streams.indices { send(index) }
      for (index, stream) in streams.enumerated() {
        var iterator = stream.makeAsyncIterator()
        if await iterator.next(isolation: nil) == index { correct += 1 }
      }
    }
    try WrongCount.check("many-channels", correct, is: streams.count)
    return time / Double(streams.count)
  }
}
