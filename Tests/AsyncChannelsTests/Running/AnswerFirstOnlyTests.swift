import AsyncChannelsRunning
import AsyncChannelsTesting
import TestSupport
import XCTest

/// `answer(.firstOnly)`: what comes while one is worked on is ignored, and counted.
@MainActor
final class AnswerFirstOnlyTests: XCTestCase {
  private let ignored = CurrentValue<[Int]>([])

  func test_C75a_whatComesWhileOneIsWorkedOnIsIgnoredAndCounted() async throws {
    try await withTestTime { [ignored] time in
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe()
      var ignoredByTheAnswer: [[Int]] = []
      let run = Task { [clock = time.clock] in
        await received.answer(.firstOnly, ignored: ignored.inlet { $0.append($1) }) { number in
          await clock.sleepThrough(.seconds(1))
          return number
        } publish: { _, number in
          ignoredByTheAnswer.append([number] + ignored.value)
        }
      }
      for number in 0..<5 { inputs.send(number) }
      await time.idle()
      for number in 5..<10 { inputs.send(number) }
      await time.advance(by: .seconds(1))
      XCTAssertEqual(ignoredByTheAnswer, [[0] + Array(1..<10)])
      inputs.send(10)
      await time.idle()
      inputs.send(11)
      await time.run()
      XCTAssertEqual(ignoredByTheAnswer.last, [10] + Array(1..<10) + [11])
      XCTAssertEqual(ignoredByTheAnswer.count, 2)
      run.cancel()
    }
  }

  func test_C75c_whatIsSentWhenTheAnswerIsPublishedIsWorkedOn() async throws {
    try await withTestTime { _ in
      for isDerived in [false, true] {
        let inputs = Channel<Int>()
        let ignored = CurrentValue<[Int]>([])
        let received = (isDerived ? inputs.outlet.map { $0 } : inputs.outlet).subscribe()
        var published: [Int] = []
        inputs.send(0)
        await received.answer(.firstOnly, ignored: ignored.inlet { $0.append($1) }) { number in
          // Before the answer: ignored, however late the call can look at it.
          inputs.send(-1)
          return number
        } publish: { _, number in
          published.append(number)
          if number < 100 { inputs.send(number + 1) } else { inputs.finish() }
        }
        XCTAssertEqual(published, Array(0...100))
        XCTAssertEqual(ignored.value, [Int](repeating: -1, count: 101))
      }
    }
  }

  func test_C75a_C75d_whatWasReplayedIsNoExceptionWhenTheNextWasSentInTime() async throws {
    try await withTestTime(orders: .random(100, seed: 1)) { time in
      let ignored = Channel<Int>()
      let heard = Probe(ignored.outlet)
      let state = CurrentValue(1)
      let answers = Channel<Int>()
      let published = Probe(answers.outlet)
      await state.outlet.answer(.firstOnly, ignored: ignored.inlet) { number in
        if number == 1 {
          for _ in 0..<((time.seed ?? 0) % 5) { await Task.yield() }
          state.value = 2
        }
        return number
      } publish: { _, number in
        answers.send(number)
        state.finish()
      }
      try await published.expect(1)
      try published.finish()
      try await heard.expect(2)
      try heard.finish()
    }
  }

  func test_C75b_workedOnAndIgnoredAreTogetherWhatWasSent() async throws {
    for round in 0..<200 {
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe()
      let (worked, ignored) = (Record<Int>(), Record<Int>())
      // Detached: nothing keeps the two loops apart.
      let run = Task.detached {
        await received.answer(.firstOnly, ignored: Inlet { ignored.add($0) }) { number in
          worked.add(number)
          if number % 3 == round % 3 { await Task.yield() }
        } publish: { _, _ in
        }
      }
      for number in 0..<50 {
        inputs.send(number)
        if number % 4 == round % 4 { await Task.yield() }
      }
      inputs.finish()
      try await within { await run.value }
      XCTAssertEqual((worked.events + ignored.events).sorted(), Array(0..<50), "round \(round)")
      XCTAssertEqual(worked.events, worked.events.sorted(), "round \(round)")
      XCTAssertEqual(worked.events.first, 0, "round \(round)")
    }
  }

  func test_C75b_aCancelledCallLeavesWhatIsSentAfterwardsToTheNext() async throws {
    try await withTestTime { [ignored] time in
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe()
      var published: [Int] = []
      @MainActor func call() -> Task<Void, Never> {
        Task { [clock = time.clock] in
          await received.answer(.firstOnly, ignored: ignored.inlet { $0.append($1) }) { number in
            if number == 1 { await clock.sleepThrough(.seconds(1)) }
            return number
          } publish: { _, number in
            published.append(number)
          }
        }
      }
      let first = call()
      inputs.send(1)
      await time.idle()
      inputs.send(5)
      await time.idle()
      first.cancel()
      inputs.send(2)
      let second = call()
      await time.idle()
      XCTAssertEqual(published, [2])
      await time.advance(by: .seconds(1))
      await first.value
      second.cancel()
      await second.value
      XCTAssertEqual(published, [2])
      XCTAssertEqual(ignored.value, [5])
    }
  }
}
