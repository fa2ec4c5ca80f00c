import AsyncChannels
import AsyncChannelsTesting
import XCTest

final class ProbeInTestTimeTests: XCTestCase {
  @MainActor
  func test_C63_valuesAreAllThatCameTakenOrNot() async throws {
    try await withTestTime { time in
      let channel = Channel<Int>()
      let probe = Probe(channel.outlet)
      for number in 1...3 { channel.send(number) }
      XCTAssertEqual(probe.values, [1, 2, 3])
      try await probe.expect(1)
      XCTAssertEqual(probe.values, [1, 2, 3])
      // Somebody waits in another task, and asking does not take its place.
      try await probe.next(2)
      let next = Task { try await probe.next() }
      await time.idle()
      XCTAssertEqual(probe.values.count, 3)
      channel.send(4)
      XCTAssertEqual(probe.values, [1, 2, 3, 4])
      channel.send(5)
      await time.idle()
      let element = try await next.value
      XCTAssertEqual(element, 4)
      try await probe.expect(5)
      try probe.finish()
    }
  }

  @MainActor
  func test_C52b_nothingIsExpectedWhenAllIsDone() async throws {
    try await withTestTime { time in
      let channel = Channel<Int>()
      let probe = Probe(channel.outlet)
      try await probe.expectNothing()
      Task.detached {
        for _ in 0..<100 { await Task.yield() }
        channel.send(1)
        try await time.clock.sleep(for: .seconds(1))
        channel.send(2)
      }
      await assertFails("Expected nothing, but 1 came within 0 ms.") {
        try await probe.expectNothing()
      }
      // That lets time pass.
      try await probe.expectNothing(for: .milliseconds(999))
      XCTAssertEqual(time.clock.now.sinceBeginning, .milliseconds(999))
      await assertFails("Expected nothing, but 2 came within 1 ms.") {
        try await probe.expectNothing(for: .milliseconds(1))
      }
      channel.finish()
      await assertFails("Expected nothing, but the outlet ended within 0 ms.") {
        try await probe.expectNothing()
      }
    }
  }

  /// What a failure says of it does not depend on how fast the machine is.
  @MainActor
  func test_C52b_aWaitLastsAsLongAsTheTestsTime() async throws {
    try await withTestTime { time in
      let channel = Channel<Int>()
      let probe = Probe(channel.outlet)
      Task {
        usleep(20_000)
        channel.finish()
      }
      await assertFails("Expected an element, but the outlet ended within 0 ms.") {
        _ = try await probe.next()
      }
    }
  }

  @MainActor
  func test_C52a_aWaitHasNoDeadlineInTestTime() async throws {
    try await withTestTime { time in
      let channel = Channel<Int>()
      let probe = Probe(channel.outlet)
      Task {
        try await time.clock.sleep(for: .seconds(3_600))
        channel.send(1)
      }
      async let next = probe.next(within: .milliseconds(1))
      await time.run()
      let element = try await next
      XCTAssertEqual(element, 1)
      await assertFails("Expected an element, but nothing came within 0 ms.") {
        try await probe.next(within: .zero)
      }
    }
  }

  @MainActor
  func test_C52g_aProbeSaysTheNameItWasGiven() async throws {
    let probe = Probe(Outlet<Int>.just(1), as: "the count")
    do {
      try probe.finish()
      XCTFail("it passed")
    } catch {
      XCTAssertEqual(
        "\(error)",
        "ProbeInTestTimeTests.swift:\(#line - 5): the count: Expected nothing more, but the test left 1 unchecked."
      )
    }
  }

  func test_C95_aClockAloneWakesThoseWhoSleep() async throws {
    let clock = TestClock()
    let (ends, end) = AsyncStream.makeStream(of: Int.self)
    let sleepers = [2, 1].map { seconds in
      Task {
        try await clock.sleep(for: .seconds(seconds))
        end.yield(seconds)
      }
    }
    while clock.sleeperCount < 2 { await Task.yield() }
    XCTAssertEqual(clock.nextDeadline, .init(sinceBeginning: .seconds(1)))
    clock.advance(by: .seconds(1))
    var iterator = ends.makeAsyncIterator()
    let first = await iterator.next()
    XCTAssertEqual(first, 1)
    XCTAssertEqual(clock.sleeperCount, 1)
    clock.advance(to: .init(sinceBeginning: .seconds(2)))
    let second = await iterator.next()
    XCTAssertEqual(second, 2)
    // What is over already needs no sleep.
    try await clock.sleep(until: .init(sinceBeginning: .seconds(2)))
    for sleeper in sleepers { try await sleeper.value }
  }

  @MainActor
  private func assertFails<Value>(
    _ sentence: String, line: UInt = #line, _ body: () async throws -> Value
  ) async {
    do {
      _ = try await body()
      XCTFail("it passed", line: line)
    } catch {
      XCTAssertTrue("\(error)".hasSuffix("channel.outlet: \(sentence)"), "\(error)", line: line)
    }
  }
}
