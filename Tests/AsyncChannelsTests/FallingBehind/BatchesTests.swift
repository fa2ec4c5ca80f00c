import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

final class BatchesTests: XCTestCase {
  func test_C69_eachStepGivesAllThatIsReadyInOrder() async throws {
    let channel = Channel<Int>(replaying: 2)
    for number in 0..<3 { channel.send(number) }
    let batches = channel.outlet.batches().makeAsyncIterator()
    for number in 3..<203 { channel.send(number) }
    var batch = await batches.next()
    // What was replayed, and over the end of some segments.
    XCTAssertEqual(batch, Array(1..<203))
    channel.send(203)
    batch = await batches.next()
    XCTAssertEqual(batch, [203])
    channel.send(204)
    channel.send(205)
    channel.finish()
    batch = await batches.next()
    XCTAssertEqual(batch, [204, 205])
    for _ in 0..<2 {
      batch = await batches.next()
      XCTAssertNil(batch)
    }
  }

  func test_C69_atMostSoManyAndTheRestInTheNextStep() async throws {
    let input = Input<Int>()
    for number in 0..<7 { input.inlet.send(number) }
    let batches = input.received.batches(ofAtMost: 3).makeAsyncIterator()
    for expected in [[0, 1, 2], [3, 4, 5], [6]] {
      let batch = await batches.next()
      XCTAssertEqual(batch, expected)
    }
  }

  func test_C69_policiesAndDerivedOutletsApplyToElements() async throws {
    let channel = Channel<Int>()
    let newest = channel.outlet.subscribe(buffering: .bufferingNewest(2)).batches()
    let even = channel.outlet.filter { $0.isMultiple(of: 2) }.map { $0 * 10 }.subscribe().batches()
    let state = CurrentValue(0)
    let values = state.outlet.outlet.batches().makeAsyncIterator()
    let sums = StateOutlet.combine(state.outlet, state.outlet.map { -$0 }).map { $0 + $1 }
      .outlet.batches().makeAsyncIterator()
    for number in 1...5 {
      channel.send(number)
      state.value = number
    }
    let kept = await newest.makeAsyncIterator().next()
    XCTAssertEqual(kept, [4, 5])
    let included = await even.makeAsyncIterator().next()
    XCTAssertEqual(included, [20, 40])
    let all = await values.next()
    XCTAssertEqual(all, Array(0...5))
    let zeros = await sums.next()
    XCTAssertEqual(zeros, [0])
  }

  /// Elements that a filter skips make no empty batch: the step waits on.
  func test_C69_aStepGivesAtLeastOne() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.filter { $0 > 0 }.subscribe()
    let next = Task { await subscription.batches().makeAsyncIterator().next() }
    try await channel.untilAsleep(1)
    channel.send(-1)
    try await until("it has looked") { subscription.pendingCount == 0 }
    try await channel.untilAsleep(1)
    channel.send(2)
    let batch = try await next.result()
    XCTAssertEqual(batch, [2])
  }

  /// The transform sends one more for each element that is taken: the step ends all the same.
  func test_C69_aStepEndsAlthoughSomebodySendsMeanwhile() async throws {
    let channel = Channel<Int>()
    let inlet = channel.inlet
    let outlet = channel.outlet.map { number in
      inlet.send(number + 1)
      return number
    }
    let steps = try await within {
      let batches = outlet.batches().makeAsyncIterator()
      channel.send(0)
      return [await batches.next(), await batches.next(), await batches.next()]
    }
    XCTAssertEqual(steps, [[0], [1], [2]])
  }

  func test_C70_aTaskThatWasCancelledLeavesAllToTheNext() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.subscribe()
    channel.send(1)
    let cancelled = Task {
      cancelThisTask()
      return await subscription.batches().makeAsyncIterator().next()
    }
    let nothing = await cancelled.value
    XCTAssertNil(nothing)
    let waiting = Task { await channel.outlet.batches().makeAsyncIterator().next() }
    try await channel.untilAsleep(1)
    waiting.cancel()
    let none = try await waiting.result()
    XCTAssertNil(none)
    let batch = await subscription.batches().makeAsyncIterator().next()
    XCTAssertEqual(batch, [1])
  }

  /// Consumers that are cancelled and displaced, while elements come: each is in one batch, in order.
  func test_C70_cancellingAndDisplacingLosesNothing() async throws {
    for round in 0..<100 {
      let policy: BufferingPolicy = round.isMultiple(of: 2) ? .unbounded : .bufferingOldest(1000)
      let channel = Channel<Int>(buffering: policy)
      let subscription = channel.outlet.subscribe()
      let taken = Record<[Int]>()
      let sender = Task.detached {
        for number in 0..<300 {
          channel.send(number)
          if number.isMultiple(of: 5) { await Task.yield() }
        }
        channel.finish()
      }
      @Sendable func consume() async {
        for await batch in subscription.batches(ofAtMost: 1 + round % 7) { taken.add(batch) }
      }
      for index in 0..<10 {
        let consumer = Task.detached { await consume() }
        await giveWay(index + round % 5)
        if index.isMultiple(of: 2) { consumer.cancel() }
        // The others are displaced by the next.
        if index.isMultiple(of: 4) { await consumer.value }
      }
      await sender.value
      try await within { await consume() }
      try await until("all were taken") { taken.events.joined().count == 300 }
      XCTAssertEqual(taken.events.joined().sorted(), Array(0..<300))
      for batch in taken.events { XCTAssertEqual(batch, batch.sorted()) }
    }
  }

  func test_C69_aBatchOfFewerThanOneTraps() async throws {
    try await assertTraps("maximum", saying: "A batch of Int cannot have at most 0 elements") {
      _ = Channel<Int>().outlet.batches(ofAtMost: 0)
    }
  }
}
