import Observation
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// C51f: an observer that registers again whenever it is told. If one registration was told twice, there would be one
/// more each time, for good.
@MainActor
final class ObservationRegistrationTests: XCTestCase {
  func test_C51f_oneValueThatTwoThreadsWrite() async throws {
    let number = CurrentValue(0)
    try await check([{ number.value }], writing: [{ number.value = $0 }, { number.value = -$0 }])
  }

  func test_C51f_twoValuesOfTwoThreads() async throws {
    let (one, other) = (CurrentValue(0), CurrentValue(0))
    try await check(
      [{ one.value }, { other.value }], writing: [{ one.value = $0 }, { other.value = $0 }])
  }

  func test_C51f_derivedStateOfTwoThreads() async throws {
    let (one, other) = (CurrentValue(0), CurrentValue(0))
    let sum = StateOutlet.combine(one.outlet, other.outlet).map { $0 &+ $1 }
    try await check([{ sum.value }], writing: [{ one.value = $0 }, { other.value = $0 }])
  }

  /// Its user writes on the main thread and its owner on another.
  func test_C51f_C116_aSplitBindingThatIsWrittenAndAnswered() async throws {
    let (input, state) = (Channel<Int>(), CurrentValue(0))
    let received = input.outlet.subscribe()
    let binding = SplitBinding(reading: state.outlet, writing: input.inlet)
    let owner = Task.detached { for await number in received { state.value = number * 1000 } }
    let other = CurrentValue(0)
    try await check(
      [{ binding.value }, { other.value }],
      writing: [{ binding.value = $0 }, { other.value = $0 }],
      times: Length.isFull ? 20_000 : 5_000,
      eachTurn: { binding.value = -$0 })
    input.finish()
    await owner.value
    XCTAssertEqual(binding.value, state.value)
  }

  /// - Parameter eachTurn: Called on the main actor while others write.
  private func check(
    _ reads: [@Sendable () -> Int], writing writes: [@Sendable (Int) -> Void],
    times count: Int = Length.isFull ? 100_000 : 20_000, eachTurn: (Int) -> Void = { _ in }
  ) async throws {
    let screen = Rendering(of: reads)
    screen.render()
    let left = Atomic(writes.count)
    async let writing: Void = onThreads(writes.count) { thread in
      for number in 1...count {
        writes[thread](number)
        // So that the main actor meets writes at all stages.
        for _ in 0..<number % 97 { _ = left.load(ordering: .relaxed) }
      }
      left.subtract(1, ordering: .relaxed)
    }
    var turn = 0
    while left.load(ordering: .relaxed) > 0 {
      turn += 1
      eachTurn(turn)
      await Task.yield()
    }
    try await writing
    try await until("the newest is shown") {
      screen.seen.withLock { $0 } == reads.map { $0() }
    }
    XCTAssertEqual(screen.toldTwice.load(ordering: .relaxed), 0)
    XCTAssertGreaterThan(screen.registrations, 2)
  }
}

@MainActor
private final class Rendering {
  private let reads: [@Sendable () -> Int]
  /// Registrations whose closure was called more than once.
  let toldTwice = Atomic(0)
  private(set) var registrations = 0
  nonisolated let seen = Locked([Int]())

  init(of reads: [@Sendable () -> Int]) { self.reads = reads }

  func render() {
    registrations += 1
    let calls = Calls()
    withObservationTracking {
      let read = reads.map { $0() }
      seen.withLock { $0 = read }
    } onChange: { [self] in
      switch calls.count.add(1, ordering: .relaxed).newValue {
      case 1: Task { @MainActor in render() }
      case 2: toldTwice.add(1, ordering: .relaxed)
      default: break
      }
    }
  }

  private final class Calls: Sendable {
    let count = Atomic(0)
  }
}
