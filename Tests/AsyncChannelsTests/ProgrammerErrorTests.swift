import TestSupport
import XCTest

@testable import AsyncChannels

/// Each piece runs in a process of its own: see `assertTraps`.
final class ProgrammerErrorTests: XCTestCase {
  func test_C16_aBufferOfZeroOrLessTraps() async throws {
    try await assertTraps("channel", saying: "A subscription cannot buffer 0 elements: at least 1")
    {
      _ = Channel<Int>(buffering: .bufferingNewest(0))
    }
    try await assertTraps("negative", saying: "A subscription cannot buffer -1 elements") {
      _ = Channel<Int>(buffering: .bufferingOldest(-1))
    }
    try await assertTraps("subscription", saying: "A subscription cannot buffer 0 elements") {
      _ = Channel<Int>().outlet.subscribe(buffering: .bufferingOldest(0))
    }
    try await assertTraps("finished", saying: "A subscription cannot buffer 0 elements") {
      let channel = Channel<Int>()
      channel.finish()
      _ = channel.outlet.subscribe(buffering: .bufferingNewest(0))
    }
  }

  func test_C16_aBufferOfZeroOrLessTrapsWhereverItIsAskedFor() async throws {
    try await assertTraps("derived", saying: "A subscription cannot buffer 0 elements") {
      _ = Channel<Int>().outlet.map { $0 + 1 }.subscribe(buffering: .bufferingNewest(0))
    }
    try await assertTraps("just", saying: "A subscription cannot buffer -3 elements") {
      _ = Outlet.just(1, 2).subscribe(buffering: .bufferingNewest(-3))
    }
    try await assertTraps("input", saying: "A subscription cannot buffer 0 elements") {
      _ = Input<Int>(buffering: .bufferingOldest(0))
    }
    try await assertTraps("output", saying: "A subscription cannot buffer 0 elements") {
      _ = Output<Int>(buffering: .bufferingNewest(0))
    }
    try await assertSurvives("one is enough") {
      let channel = Channel<Int>(buffering: .bufferingNewest(1))
      _ = channel.outlet.subscribe(buffering: .bufferingOldest(1))
      _ = Input<Int>(buffering: .bufferingNewest(1))
    }
  }

  func test_aNegativeReplayCountTraps() async throws {
    try await assertTraps("channel", saying: "A channel cannot replay -1 elements") {
      _ = Channel<Int>(replaying: -1)
    }
    try await assertTraps("output", saying: "A channel cannot replay -2 elements") {
      _ = Output<Int>(replaying: -2)
    }
  }

  private static let oneConsumer = "A subscription has one consumer at a time"

  func test_C32_consumingWhatAnotherTaskWaitsForTraps() async throws {
    try await assertTraps("plain", saying: Self.oneConsumer) {
      let channel = Channel<Int>()
      try await consumeTwice(channel, channel.outlet.subscribe())
    }
    try await assertTraps("bounded", saying: Self.oneConsumer) {
      let channel = Channel<Int>()
      try await consumeTwice(channel, channel.outlet.subscribe(buffering: .bufferingNewest(1)))
    }
    try await assertTraps("derived", saying: Self.oneConsumer) {
      let channel = Channel<Int>()
      try await consumeTwice(channel, channel.outlet.filter { $0 > 0 }.subscribe())
    }
  }

  /// Neither finds the other waiting at first, since there is always something to read.
  func test_C32_twoTasksThatLoopOverOneSubscriptionTrapHoweverBusyItIs() async throws {
    try await assertTraps("plain", saying: Self.oneConsumer) {
      let channel = Channel<Int>()
      try await loopTwice(channel, channel.outlet.subscribe())
    }
    try await assertTraps("derived", saying: Self.oneConsumer) {
      let channel = Channel<Int>()
      try await loopTwice(channel, channel.outlet.map { $0 }.subscribe())
    }
  }

  func test_C32_consumersThatTakeTurnsDoNotTrap() async throws {
    try await assertSurvives("turns") {
      let channel = Channel<Int>()
      let subscription = channel.outlet.subscribe()
      for number in 1...4 { channel.send(number) }
      let (first, second) = (subscription.makeAsyncIterator(), subscription.makeAsyncIterator())
      let taken = [await second.next(), await first.next(), await subscription.next()]
      precondition(taken == [1, 2, 3])
      let last = await first.next()
      precondition(last == 4)
    }
  }

  func test_C32_theConsumerAfterACancelledOneIsProtectedToo() async throws {
    // The second may, the first having been cancelled; a third may not.
    try await assertTraps("third", saying: Self.oneConsumer) {
      let channel = Channel<Int>()
      let subscription = channel.outlet.subscribe()
      let first = Task { for await _ in subscription {} }
      try await channel.untilAsleep(1)
      first.cancel()
      await first.value
      try await consumeTwice(channel, subscription)
    }
  }

  private static let touched = "A current value was touched inside its own update"

  func test_C51_touchingAValueInsideItsUpdateTraps() async throws {
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
  }

  func test_C51_onlyTheSameValueOnTheSameThreadIsOutOfBoundsInsideUpdate() async throws {
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

private func consumeTwice(_ channel: Channel<Int>, _ subscription: Subscription<Int>) async throws {
  let first = Task { for await _ in subscription {} }
  defer { first.cancel() }
  try await channel.untilAsleep(1)
  _ = try await subscription.take(1)
}

/// Two loops, and a sender that lets them run now and then.
private func loopTwice(_ channel: Channel<Int>, _ subscription: Subscription<Int>) async throws {
  for number in 0..<1000 { channel.send(number) }
  let loops = (0..<2).map { _ in Task { for await _ in subscription {} } }
  try await within {
    while true {
      for number in 0..<100 { channel.send(number) }
      await Task.yield()
      if Task.isCancelled { break }
    }
  }
  for loop in loops { loop.cancel() }
}
