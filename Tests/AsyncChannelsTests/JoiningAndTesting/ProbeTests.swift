import AsyncChannelsTesting
import TestSupport
import XCTest

@testable import AsyncChannels

final class ProbeTests: XCTestCase {
  private let channel = Channel<Int>()

  func test_C52a_itSubscribesWhenItIsMadeAndGivesWhatCame() async throws {
    let probe = Probe(channel.outlet)
    for number in 1...6 { channel.send(number) }
    try await probe.expect(1)
    assertEqual(try await probe.next(), 2)
    assertEqual(try await probe.next(2), [3, 4])
    assertEqual(try await probe.next(where: { $0.isMultiple(of: 2) }), 6)
    try probe.finish()
  }

  func test_C52a_itWaitsForWhatComesLater() async throws {
    let probe = Probe(channel.outlet)
    let sender = Task { [channel] in
      try await until("the probe waits") { channel.log.sleeperCount > 0 }
      channel.send(7)
    }
    try await probe.expect(7, within: .seconds(20))
    try await sender.value
  }

  func test_C52a_nothingWithinTheDeadlineFailsWithASentence() async throws {
    let probe = Probe(channel.outlet)
    let clock = JumpingClock()
    await assertFails("Expected 3, but nothing came within 2.0 s.") {
      try await probe.expect(3, within: .seconds(2), clock: clock)
    }
    await assertFails("Expected an element, but nothing came within 500 ms.") {
      try await probe.next(within: .milliseconds(500), clock: clock)
    }
    channel.send(1)
    await assertFails("Expected 2 elements, after 1, but nothing came within 5.0 s.") {
      try await probe.next(2, clock: clock)
    }
    channel.send(1)
    await assertFails(
      "Expected an element that satisfies the condition, after 1, "
        + "but nothing came within 5.0 s."
    ) {
      try await probe.next(where: { $0 > 1 }, clock: clock)
    }
  }

  func test_C52a_whatHasComeWhenTheDeadlinePassesCountsAsInTime() async throws {
    let clock = JumpingClock()
    for number in 0..<200 {
      let probe = Probe(channel.outlet)
      channel.send(number)
      try await probe.expect(number, within: .zero, clock: clock)
      try await probe.expectNothing(for: .zero, clock: clock)
    }
  }

  /// The deadline is noticed first, and the consumer takes an element before it is cancelled.
  func test_C52a_whatComesWithTheDeadlineIsNotLost() async throws {
    let executor = ManualTaskExecutor()
    let clock = TestClock()
    let subscription = channel.outlet.subscribe()
    let task = Task(executorPreference: executor) {
      await subscription.next(by: clock.now.advanced(by: .seconds(1)), on: clock)
    }
    executor.drain()
    XCTAssertEqual(clock.sleeperCount, 1)
    clock.advance(by: .seconds(1))
    channel.send(1)
    executor.drain()
    assertEqual(try await task.result(), 1)
  }

  func test_C52b_somethingUnexpectedFailsWithASentence() async throws {
    let probe = Probe(channel.outlet)
    channel.send(4)
    let clock = JumpingClock(isFrozen: true)
    await assertFails("Expected 3, but 4 came within 0 ms.") {
      try await probe.expect(3, clock: clock)
    }
    channel.send(5)
    await assertFails("Expected nothing, but 5 came within 0 ms.") {
      try await probe.expectNothing(for: .seconds(1), clock: clock)
    }
    channel.send(6)
    await assertFails("Expected the end, but 6 came within 0 ms.") {
      try await probe.expectFinished(clock: clock)
    }
  }

  func test_C52c_anEndThatDidNotComeFailsAndOneThatDidIsExpected() async throws {
    let probe = Probe(channel.outlet)
    let clock = JumpingClock()
    await assertFails("Expected the end, but nothing came within 3.0 s.") {
      try await probe.expectFinished(within: .seconds(3), clock: clock)
    }
    channel.finish()
    try await probe.expectFinished(within: .zero, clock: clock)
    try await probe.expectFinished()
    await assertFails("Expected 1, but the outlet ended within 0 ms.") {
      try await probe.expect(1, clock: JumpingClock(isFrozen: true))
    }
  }

  func test_C52d_anElementThatNobodyLookedAtFailsAtTheEnd() async throws {
    let probe = Probe(Outlet.just("a", "b", "c"))
    try await probe.expect("a")
    do throws(ProbeFailure) {
      try probe.finish()
      XCTFail("nothing was thrown")
    } catch {
      XCTAssertEqual(
        error.description,
        "ProbeTests.swift:\(#line - 5): "
          + "Outlet.just(\"a\", \"b\", \"c\"): Expected nothing more, but the test left \"b\", \"c\" unchecked."
      )
    }
    try probe.finish()
  }

  func test_C52a_cancellingTheTestEndsTheWait() async throws {
    let probe = Probe(channel.outlet)
    let test = Task { try await probe.next(within: .seconds(3600)) }
    try await channel.untilAsleep(1)
    test.cancel()
    do {
      _ = try await within { try await test.value }
      XCTFail("nothing was thrown")
    } catch let failure as ProbeFailure {
      XCTAssertTrue(failure.description.contains("but the task was cancelled"), "\(failure)")
    }
  }

  func test_aProbeOfADerivedOutletSeesWhatIsDerived() async throws {
    let probe = Probe(channel.outlet.filter { $0 > 100 }.map { "\($0)" })
    for number in 0..<300 { channel.send(number % 150) }
    let seen = try await probe.next(98)
    XCTAssertEqual(seen.prefix(50), ["101", "102"] + (103...149).map { "\($0)" } + ["101"])
    try probe.finish()
    channel.finish()
    try await probe.expectFinished(within: .zero)
  }

  private func assertFails<Value>(
    _ sentence: String, line: UInt = #line, _ body: () async throws -> Value
  ) async {
    do {
      _ = try await body()
      XCTFail("nothing was thrown", line: line)
    } catch {
      // After the place, of which `ProbeSentenceTests` takes care.
      let said = "\(error)".split(separator: ": ", maxSplits: 2).last ?? ""
      XCTAssertEqual(String(said), sentence, line: line)
    }
  }

  func test_C52e_aSecondWaitTakesThePlaceOfTheFirstWhichFails() async throws {
    let channel = Channel<Int>()
    let probe = Probe(channel.outlet)
    for number in 0..<20 {
      let first = Task { try await probe.expectFinished() }
      try await until("the first waits") { channel.log.sleeperCount == 1 }
      let second = Task { try await probe.next() }
      do {
        try await within { try await first.value }
        XCTFail("the first wait did not fail")
      } catch let failure as ProbeFailure {
        let sentence = failure.description
        XCTAssert(sentence.contains("another wait of this probe took its place"), sentence)
      }
      try await until("the second waits") { channel.log.sleeperCount == 1 }
      channel.send(number)
      let element = try await within { try await second.value }
      XCTAssertEqual(element, number)
    }
  }
}
