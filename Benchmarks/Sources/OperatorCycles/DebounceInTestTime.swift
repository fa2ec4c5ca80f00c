import AsyncAlgorithms
import AsyncChannels
import AsyncChannelsTesting

/// The debounce of swift-async-algorithms, on the clock of a test that owns the time: it has tasks that this
/// package knows nothing of, and `advance(by:)` has to know when they have nothing left to do.
enum DebounceInTestTime {
  private struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs the same test in so many orders.
  @MainActor
  static func run(_ count: Int) async throws {
    try await withTestTime(orders: .random(count, seed: 1)) { time in
      let input = Channel<Int>()
      let received = input.outlet.subscribe()
      var heard: [Int] = []
      let loop = Task {
        for await number in received.debounce(for: .milliseconds(300), clock: time.clock) {
          heard.append(number)
        }
      }
      func expect(_ expected: [Int]) throws {
        if heard != expected {
          throw Wrong(description: "\(heard) is not \(expected) at \(time.clock.now)")
        }
      }
      input.send(1)
      await time.advance(by: .milliseconds(299))
      input.send(2)
      await time.advance(by: .milliseconds(299))
      try expect([])
      await time.advance(by: .milliseconds(1))
      try expect([2])
      input.send(3)
      await time.run()
      try expect([2, 3])
      loop.cancel()
    }
  }
}
