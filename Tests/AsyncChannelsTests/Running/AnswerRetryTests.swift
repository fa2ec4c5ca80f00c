import AsyncChannelsTesting
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRunning

/// C134: work that has thrown is called again.
@MainActor
final class AnswerRetryTests: XCTestCase {
  private let events = Record<String>()
  private let input = Input<Int>()
  private let retry = Retry.exponential(from: .seconds(1), upTo: .seconds(3), attempts: 5)

  func test_C134a_itIsCalledAgainAfterPausesThatDouble() async throws {
    for isReporting in [false, true] {
      try await withTestTime { [self] time in
        let run = call(time, .oneAtATime, isReporting) { $0 < 5 }
        input.inlet.send(1)
        var seen: [String] = []
        for _ in 0..<10 {
          await time.advance(by: .seconds(1))
          seen.append("\(events.take().count)")
        }
        // Called at 0, 1, 3, 6 and 9 s.
        XCTAssertEqual(seen, ["2", "0", "1", "0", "0", "1", "0", "0", "2", "0"])
        run.cancel()
      }
    }
  }

  func test_C134a_theFailureOfTheLastAttemptIsTheAnswer() async throws {
    try await withTestTime { [self] time in
      let run = call(time) { _ in true }
      input.inlet.send(1)
      await time.run()
      XCTAssertEqual(
        events.take(), (1...5).map { "1 attempt \($0)" } + ["1 failed"])
      input.inlet.send(2)
      await time.idle()
      XCTAssertEqual(events.take(), ["2 attempt 1"], "Each element has its own attempts.")
      run.cancel()
    }
  }

  func test_C134b_itIsNotCalledAgainWhenItWasSupersededOrItsCallCancelled() async throws {
    try await withTestTime(orders: .random(10, seed: 134)) { [self] time in
      let run = call(time, .latestOnly) { _ in true }
      input.inlet.send(1)
      await time.idle()
      input.inlet.send(2)
      await time.idle()
      XCTAssertEqual(events.take(), ["1 attempt 1", "2 attempt 1"])
      run.cancel()
      await run.value
      XCTAssertEqual(events.take(), ["2 abandoned"])
      await time.run()
      XCTAssertEqual(events.take(), [])
    }
  }

  func test_C134c_anAttemptThatLastedLongerThanTheLongestPauseBeginsANewRow() async throws {
    let endless = Retry.exponential(from: .seconds(1), upTo: .seconds(3))
    try await withTestTime { [self] time in
      let run = call(time, lasting: .seconds(4), retry: endless) { _ in true }
      input.inlet.send(1)
      await time.advance(by: .seconds(100))
      // Every five seconds, without an end.
      XCTAssertEqual(events.take().count, 21)
      run.cancel()
    }
  }

  func test_C134c_attemptsAreCountedHoweverLongTheyLast() async throws {
    try await withTestTime { [self] time in
      let run = call(time, lasting: .seconds(60)) { _ in true }
      input.inlet.send(1)
      // With pauses of 1, 2, 3 and 3 seconds.
      await time.advance(by: .seconds(308))
      XCTAssertEqual(events.take(), (1...5).map { "1 attempt \($0)" })
      await time.advance(by: .seconds(1))
      XCTAssertEqual(events.take(), ["1 failed"])
      run.cancel()
    }
  }

  func test_C134d_jitterShortensAPauseByNoMoreThanItsPart() {
    let retry = Retry.exponential(from: .seconds(4), upTo: .seconds(4), jitter: 0.25)
    let pauses = (0..<1_000).compactMap { _ in retry.pause(after: 1) }
    XCTAssertTrue(pauses.allSatisfy { (.seconds(3)...(.seconds(4))).contains($0) })
    XCTAssertGreaterThan(Set(pauses).count, 100)
    let plain = Retry.exponential(from: .milliseconds(500), upTo: .seconds(30))
    XCTAssertEqual(
      (1...8).compactMap { plain.pause(after: $0) },
      [0.5, 1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    XCTAssertEqual(plain.pause(after: 1_000_000_000_000), .seconds(30))
  }

  func test_C134d_inTestTimePausesHaveTheirWholeLength() async throws {
    let retry = Retry.exponential(from: .seconds(1), upTo: .seconds(3), attempts: 3, jitter: 1)
    try await withTestTime { [self] time in
      let run = call(time, retry: retry) { _ in true }
      input.inlet.send(1)
      await time.advance(by: .milliseconds(2_999))
      XCTAssertEqual(events.take(), ["1 attempt 1", "1 attempt 2"])
      await time.advance(by: .milliseconds(1))
      XCTAssertEqual(events.take(), ["1 attempt 3", "1 failed"])
      run.cancel()
    }
  }

  private func call(
    _ time: TestTime, _ overlap: OverlapRule<Int> = .oneAtATime, _ isReporting: Bool = false,
    lasting duration: Duration = .zero, retry: Retry? = nil,
    failing fails: @escaping @Sendable (Int) -> Bool
  ) -> Task<Void, Never> {
    let counts = Locked<[Int: Int]>([:])
    let work: @Sendable (Int) async throws -> Void = { [events, clock = time.clock] number in
      let attempt = counts.withLock { counts in
        counts[number, default: 0] += 1
        return counts[number]!
      }
      events.add("\(number) attempt \(attempt)")
      if duration > .zero { try await clock.sleep(for: duration) }
      if fails(attempt) { throw CancellationError() }
    }
    return Task { [events, input, retry = retry ?? self.retry, clock = time.clock] in
      if isReporting {
        await input.received.answerWithProgress(overlap, clock: clock, retry: retry) {
          (number: Int, _: Inlet<Int>) in
          try await work(number)
        } progress: { _, _ in
        } abandoned: { number in
          events.add("\(number) abandoned")
        } publish: { number, result in
          events.add("\(number) \((try? result.get()) == nil ? "failed" : "answered")")
        }
      } else {
        await input.received.answer(overlap, clock: clock, retry: retry, by: work) { number in
          events.add("\(number) abandoned")
        } publish: { number, result in
          events.add("\(number) \((try? result.get()) == nil ? "failed" : "answered")")
        }
      }
    }
  }
}
