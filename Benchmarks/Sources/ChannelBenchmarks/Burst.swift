import AsyncChannels
import Journeys

extension Workload {
  /// All is sent before anybody reads, and then read.
  static func burst(_ scale: Scale) -> Workload {
    let count = scale.count(1_000_000)
    return Workload(
      name: "burst", unit: "element",
      cases: [
        Case(
          subscribers: 1, element: "Int",
          subjects: [
            Subject(name: "AsyncChannels") {
              let channel = Channel<Int>()
              let subscription = channel.outlet.subscribe()
              return try await sendThenRead(
                count, subscription, { channel.send($0) }, channel.finish)
            },
            Subject(name: "AsyncStream") {
              let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
              return try await sendThenRead(
                count, stream, { continuation.yield($0) }, { continuation.finish() })
            },
          ], reference: "AsyncStream")
      ])
  }
}

private func sendThenRead(
  _ count: Int, _ stream: some AsyncSequence<Int, Never> & Sendable,
  _ send: @escaping @Sendable (Int) -> Void, _ finish: @escaping @Sendable () -> Void
) async throws -> Double {
  try await inChildTask {
    var received = 0
    let time = await nanoseconds {
      for number in 0..<count { send(number) }
      finish()
      for await _ in stream { received += 1 }
    }
    try WrongCount.check("burst", received, is: count)
    return time / Double(count)
  }
}
