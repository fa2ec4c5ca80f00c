import AsyncChannels
import Journeys

extension Workload {
  /// Subscribing and dropping the subscription, beside others that stay.
  static func subscribing(_ scale: Scale) -> Workload {
    let cycles = scale.count(100_000)
    let others = scale.count(10_000)
    return Workload(
      name: "subscribe", unit: "cycle",
      cases: [
        Case(
          subscribers: 0, element: "Int",
          subjects: [
            Subject(name: "AsyncChannels") { try await subscribe(cycles, others: 0) },
            Subject(name: "beside \(others) others", subscribers: others) {
              try await subscribe(cycles, others: others)
            },
            Subject(name: "AsyncStream") {
              try await inChildTask {
                await nanoseconds {
                  for _ in 0..<cycles { _ = AsyncStream.makeStream(of: Int.self) }
                } / Double(cycles)
              }
            },
          ], reference: "AsyncStream")
      ])
  }
}

private func subscribe(_ cycles: Int, others: Int) async throws -> Double {
  try await inChildTask {
    let channel = Channel<Int>()
    let staying = (0..<others).map { _ in channel.outlet.subscribe() }
    let time = await nanoseconds {
      for _ in 0..<cycles { _ = channel.outlet.subscribe() }
    }
    try WrongCount.check("subscribe", channel.subscriberCount, is: others)
    withExtendedLifetime(staying) {}
    return time / Double(cycles)
  }
}
