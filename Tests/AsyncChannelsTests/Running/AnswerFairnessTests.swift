import AsyncChannelsRunning
import TestSupport
import XCTest

/// C99: however many elements wait, the isolation is for others, too.
@MainActor
final class AnswerFairnessTests: XCTestCase {
  func test_C99_othersHaveTheirTurnWhileElementsAreTakenAndAnswersPublished() async throws {
    for overlap in Overlap.allCases {
      try await expectTurns("\(overlap)") { received, busy in
        await received.answer(
          OverlapRule(overlap), busy: busy, ignored: Inlet { _ in }, by: { $0 },
          publish: { _, _ in })
      }
    }
    try await expectTurns("an overlap for each") { received, busy in
      await received.answer(
        .each({ _ in .latestOnly }), busy: busy, by: { $0 }, publish: { _, _ in })
    }
  }

  /// Busy is reported, so the loop is on the main actor.
  private func expectTurns(
    _ what: String,
    _ answer: @MainActor (Subscription<Int>, _ busy: Inlet<Bool>) async -> Void
  ) async throws {
    let count = Length.isFull ? 6_400 : 1_600
    let input = Input<Int>()
    for number in 0..<count { input.inlet.send(number) }
    input.finish()
    let turns = Record<Void>()
    let other = Task {
      while !Task.isCancelled {
        turns.add(())
        await Task.yield()
      }
    }
    await answer(input.received, CurrentValue(false).inlet)
    try await other.cancelAndWait()
    // Both need a thread to yield, so they need not take turns exactly.
    XCTAssertGreaterThan(turns.count, count / 64 / 4, what)
  }

  /// Answers that are ready together take one job of the isolation, in which others come between.
  func test_C99_answersThatAreReadyTogetherDoNotCrowdTheIsolation() async throws {
    let count = 1_000
    let stage = Stage()
    let works = Record<Int>()
    let published = Record<Int>()
    let returned = Record<Void>()
    let gate = Gate()
    let input = Input<Int>()
    for number in 0..<count { input.inlet.send(number) }
    input.finish()
    let received = input.received
    let call = Task {
      await answerConcurrently(received, to: published, on: stage) { number in
        await gate.pass()
        works.add(number)
        return number
      }
      returned.add(())
    }
    try await stage.drain(until: "all are worked on") { gate.isWaitedFor(by: count) }
    gate.open()
    try await until("the works have ended") { works.count == count }
    await giveWay(100)
    XCTAssertEqual(stage.jobCount, 1)
    try await stage.drain(until: "the call has returned") { returned.count == 1 }
    XCTAssertEqual(published.count, count)
    await call.value
  }

  func test_C100_latestOnlyBeginsWithTheNewestThatIsReady() async throws {
    for isReported in [false, true] {
      let input = Input<Int>()
      for number in 1...1_000 { input.inlet.send(number) }
      input.finish()
      let begun = Record<Int>()
      var published: [Int] = []
      await input.received.answer(
        .latestOnly, busy: isReported ? CurrentValue(false).inlet : nil,
        by: {
          begun.add($0); return $0
        }, publish: { published.append($1) })
      XCTAssertEqual(begun.events, [1_000])
      XCTAssertEqual(published, [1_000])
    }
  }
}

private func answerConcurrently(
  _ numbers: Subscription<Int>, to published: Record<Int>, on stage: isolated Stage,
  by work: @escaping @Sendable (Int) async -> Int
) async {
  await numbers.answer(.concurrent, by: work) { _, answer in
    stage.assertIsolated()
    published.add(answer)
  }
}
