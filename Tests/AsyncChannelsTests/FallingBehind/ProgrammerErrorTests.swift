import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRunning

/// Each piece runs in a process of its own: see `assertTraps`.
final class ProgrammerErrorTests: XCTestCase {
  func test_C16_aBufferOfZeroOrLessTraps() async throws {
    try await assertTraps(
      "channel", saying: "A subscription to Int cannot buffer 0 elements: it buffers at least 1"
    ) {
      _ = Channel<Int>(buffering: .bufferingNewest(0))
    }
    try await assertTraps("negative", saying: "A subscription to Int cannot buffer -1 elements") {
      _ = Channel<Int>(buffering: .bufferingOldest(-1))
    }
    try await assertTraps("subscription", saying: "A subscription to Int cannot buffer 0 elements")
    {
      _ = Channel<Int>().outlet.subscribe(buffering: .bufferingOldest(0))
    }
    try await assertTraps("finished", saying: "A subscription to Int cannot buffer 0 elements") {
      let channel = Channel<Int>()
      channel.finish()
      _ = channel.outlet.subscribe(buffering: .bufferingNewest(0))
    }
  }

  func test_C16_aBufferOfZeroOrLessTrapsWhereverItIsAskedFor() async throws {
    try await assertTraps("derived", saying: "A subscription to Int cannot buffer 0 elements") {
      _ = Channel<Int>().outlet.map { $0 + 1 }.subscribe(buffering: .bufferingNewest(0))
    }
    try await assertTraps("just", saying: "A subscription to Int cannot buffer -3 elements") {
      _ = Outlet.just(1, 2).subscribe(buffering: .bufferingNewest(-3))
    }
    try await assertTraps("input", saying: "A subscription to Int cannot buffer 0 elements") {
      _ = Input<Int>(buffering: .bufferingOldest(0))
    }
    try await assertTraps("output", saying: "A subscription to Int cannot buffer 0 elements") {
      _ = Output<Int>(buffering: .bufferingNewest(0))
    }
    try await assertSurvives("one is enough") {
      let channel = Channel<Int>(buffering: .bufferingNewest(1))
      _ = channel.outlet.subscribe(buffering: .bufferingOldest(1))
      _ = Input<Int>(buffering: .bufferingNewest(1))
    }
  }

  #if DEBUG
    func test_anIteratorOfAnOutletThatTwoTasksShareTraps() async throws {
      let sentence = "Two tasks use one iterator of an outlet of Int."
      try await assertTraps("taking", saying: sentence) {
        let cursor = Channel<Int>().log.subscribe(buffering: nil)
        cursor.soleUse.begin(of: Int.self)
        _ = cursor.take(as: Waiter.onlyEpoch)
      }
      try await assertTraps("waiting", saying: sentence) {
        let cursor = Channel<Int>().log.subscribe(buffering: nil)
        cursor.soleUse.begin(of: Int.self)
        _ = await cursor.waitForElement(as: Waiter.onlyEpoch, isolation: nil)
      }
      try await assertSurvives("one after the other") {
        let channel = Channel<Int>()
        let iterator = channel.outlet.makeAsyncIterator()
        for number in 0..<200 { channel.send(number) }
        for _ in 0..<200 { _ = await iterator.next() }
      }
    }
  #endif

  func test_aNegativeReplayCountTraps() async throws {
    try await assertTraps("channel", saying: "A channel of Int cannot replay -1 elements") {
      _ = Channel<Int>(replaying: -1)
    }
    try await assertTraps("output", saying: "A channel of Int cannot replay -2 elements") {
      _ = Output<Int>(replaying: -2)
    }
  }

  func test_C76e_aNegativeDebounceTraps() async throws {
    try await assertTraps("debounce", saying: "A debounce of Int cannot last -1.0 seconds") {
      await Outlet.just(1).answer(debounce: .seconds(-1), by: { $0 }, publish: { _, _ in })
    }
  }

  func test_C76e_aDebounceOfElementsWithTheirOwnOverlapTraps() async throws {
    try await assertTraps("each", saying: "An answer to Int with .each or keys cannot have") {
      await Outlet.just(1).answer(
        .each { _ in .concurrent }, debounce: .seconds(1), by: { $0 }, publish: { _, _ in })
    }
  }

  private static let touched = "A CurrentValue<Int> was touched inside its own update"

  func test_C51g_touchingAValueInsideItsUpdateTraps() async throws {
    try await assertTraps("reading", saying: Self.touched) {
      let value = CurrentValue(1)
      value.update { $0 += value.value }
    }
    try await assertTraps("writing", saying: Self.touched) {
      let value = CurrentValue(1)
      value.update { _ in value.value = 2 }
    }
    try await assertTraps("wrapped", saying: Self.touched) {
      let value = CurrentValue(1)
      value.update { _ in _ = value.wrappedValue }
    }
    try await assertTraps("inlet", saying: Self.touched) {
      let value = CurrentValue(1)
      value.update { _ in _ = value.inlet.send(2) }
    }
    try await assertTraps("nested", saying: Self.touched) {
      let value = CurrentValue(1)
      value.update { _ in value.update { $0 += 1 } }
    }
    let line = #line + 4 as UInt
    try await assertTraps("in an inlet", saying: Self.touched + ", by the inlet of line \(line)") {
      let value = CurrentValue(1)
      let writing: @Sendable () -> Void = { value.value = 3 }
      value.inlet { _, _ in writing() }.send(2)
    }
    try await assertTraps("finishing", saying: Self.touched) {
      let value = CurrentValue(1)
      value.update { _ in value.finish() }
    }
  }

  func test_C140b_aMappedStateThatReadsAnotherTrapsWhereItIsFollowed() async throws {
    try await assertTraps("follow", saying: "The closure of `map` has read another state.") {
      let (one, other) = (CurrentValue(1), CurrentValue(2))
      _ = one.outlet.map { $0 + other.value }.subscribe().takeNow()
    }
    try await assertTraps("circle", saying: "Derived state reads itself") {
      let states = Locked<[StateOutlet<Int>]>([])
      let one = CurrentValue(0).outlet.map { number in
        states.withLock { $0 }.first?.value ?? number
      }
      states.withLock { $0 = [one.map { $0 + 1 }] }
      _ = one.value
    }
  }

  func test_C114_touchingAValueThatIsChangedInPlaceTraps() async throws {
    let touched = "A CurrentValue<Array<Int>> was touched inside its own update"
    let touches: [@Sendable (CurrentValue<[Int]>) -> Void] = [
      { _ = $0.value }, { $0.value = [2] }, { $0.update { $0.append(2) } }, { $0.finish() },
      { _ = $0.outlet.map(\.count).value },
    ]
    for (number, touch) in touches.enumerated() {
      try await assertTraps("touch \(number)", saying: touched) {
        let value = CurrentValue([1])
        value.update { _ in touch(value) }
      }
    }
  }

  func test_C51g_onlyTheSameValueOnTheSameThreadIsOutOfBoundsInsideUpdate() async throws {
    try await assertSurvives("another value, and afterwards") {
      let one = CurrentValue(1)
      let other = CurrentValue(10)
      one.update { one in other.update { $0 += one } }
      precondition(other.value == 11)
      one.value = 2
      struct Refused: Error {}
      try? one.update { _ in throw Refused() }
      one.update { $0 += 1 }
      precondition(one.value == 3)
    }
  }
}
