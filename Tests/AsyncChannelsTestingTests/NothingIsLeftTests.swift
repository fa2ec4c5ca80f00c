import AsyncChannelsTesting
import TestSupport
import Testing

/// A run leaves no memory behind. With Swift Testing, since the run loop in which XCTest waits on Linux leaves some for
/// each hop to the main actor.
@Suite struct NothingIsLeftTests {
  @MainActor
  @Test func aRunLeavesNothing() async throws {
    let runs = 4_000
    for _ in 0..<runs / 4 { try await run() }
    // A weak reference to each task left 192 bytes, each time. Other suites run at the same time.
    var left: [Int] = []
    while left.count < 6, left.count(where: { $0 < 80 }) < 2 {
      let before = Resident.held
      for _ in 0..<runs { try await run() }
      left.append((Resident.held - before) / runs)
    }
    #expect(left.count { $0 < 80 } == 2, "bytes for each run: \(left)")
  }

  @MainActor
  private func run() async throws {
    try await withTestTime { time in
      Task {}
      await time.idle()
    }
  }
}
