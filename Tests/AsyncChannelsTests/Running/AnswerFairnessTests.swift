import AsyncChannels
import TestSupport
import XCTest

/// C99: however many elements wait, the isolation is for others, too.
@MainActor
final class AnswerFairnessTests: XCTestCase {
  func test_C99_othersHaveTheirTurnWhileElementsAreTakenAndAnswersPublished() async throws {
    let count = 6_400
    for overlap in Overlap.allCases {
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
      // Busy is reported, so the loop is on the main actor.
      let busy = CurrentValue(false)
      await input.received.answer(
        overlap, busy: busy.inlet, ignored: Inlet { _ in }, by: { $0 }, publish: { _ in })
      try await other.cancelAndWait()
      // Both need a thread to yield, so they need not take turns exactly.
      XCTAssertGreaterThan(turns.count, count / 64 / 4, "\(overlap)")
    }
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
        }, publish: { published.append($0) })
      XCTAssertEqual(begun.events, [1_000])
      XCTAssertEqual(published, [1_000])
    }
  }
}
