import AsyncChannels
import AsyncChannelsTesting
import TestSupport
import XCTest

/// A run leaves no memory behind.
final class NothingIsLeftTests: XCTestCase {
  @MainActor
  func test_C94_aRunLeavesNothing() async throws {
    let runs = 2_000
    for _ in 0..<runs / 2 { try await run() }
    let before = Resident.held
    for _ in 0..<runs { try await run() }
    let left = (Resident.held - before) / runs
    XCTAssertLessThan(left, 16, "bytes for each run")
  }

  @MainActor
  private func run() async throws {
    try await withTestTime { time in
      let counter = Counter(time.clock)
      let counts = Probe(counter.$count)
      await withRunning(counter) {
        counter.add.send(1)
        await time.advance(by: .seconds(2))
        XCTAssertEqual(counts.values, [0, 1])
      }
    }
  }
}

@MainActor
private final class Counter: ViewModel {
  @Input var add: Inlet<Int>
  @CurrentValue private(set) var count = 0
  private let clock: TestClock

  init(_ clock: TestClock) { self.clock = clock }

  func run() async {
    let token = $count.outlet.observe { _ in }
    await _add.received.answer(.latestOnly, after: .seconds(1), clock: clock, by: { $0 }) {
      self.count += $0
    }
    token.cancel()
  }
}
