import AsyncChannelsRunning
import TestSupport
import XCTest

/// Random interleavings of sending, answering and cancelling, from a fixed seed.
@MainActor
final class AnswerInterleavingTests: XCTestCase {
  private let log = Log()

  func test_oneAtATimeAnswersAllInOrder() async throws {
    try await answerRandomly(.oneAtATime) { numbers in
      XCTAssertEqual(log.published, numbers)
    }
  }

  func test_latestOnlyNeverAnswersAnOlderElementAfterANewerOneAndAlwaysTheLast() async throws {
    try await answerRandomly(.latestOnly) { numbers in
      XCTAssertEqual(log.published, log.published.sorted())
      XCTAssertEqual(Set(log.published).count, log.published.count)
      XCTAssertEqual(log.published.last, numbers.last)
    }
  }

  func test_concurrentAnswersEachExactlyOnce() async throws {
    try await answerRandomly(.concurrent) { numbers in
      XCTAssertEqual(log.published.sorted(), numbers)
    }
  }

  /// What is in flight when a run is cancelled is lost, as promised; nothing is answered twice or out
  /// of order, and what was sent while nothing ran is answered.
  func test_cancelledRunsAnswerNothingTwiceAndKeepTheOrder() async throws {
    var random = SplitMix64(seed: 7)
    for round in 0..<60 {
      log.published = []
      let channel = Channel<Int>()
      let received = channel.outlet.subscribe()
      let begun = Record<Int>()
      var sent = 0
      for _ in 0..<12 {
        let run = Task {
          await received.answer { number in
            begun.add(number)
            for _ in 0..<(number % 4) { await Task.yield() }
            return number
          } publish: { [log] _, number in
            log.published.append(number)
          }
        }
        for _ in 0..<Int.random(in: 0..<6, using: &random) {
          channel.send(sent)
          sent += 1
          if Bool.random(using: &random) { await Task.yield() }
        }
        run.cancel()
        if Bool.random(using: &random) { await run.value }
      }
      channel.finish()
      try await within { @MainActor [log] in
        await received.answer { number in
          begun.add(number)
          return number
        } publish: { [log] _, number in
          log.published.append(number)
        }
      }
      XCTAssertEqual(begun.events.sorted(), Array(0..<sent), "round \(round)")
      XCTAssertEqual(log.published, log.published.sorted(), "round \(round)")
      XCTAssertEqual(Set(log.published).count, log.published.count, "round \(round)")
    }
  }

  private func answerRandomly(
    _ overlap: Overlap, check: (_ numbers: [Int]) -> Void
  ) async throws {
    var random = SplitMix64(seed: 42)
    for round in 0..<Length.rounds(500) {
      (log.published, log.phases) = ([], [])
      let channel = Channel<Int>()
      let received = channel.outlet.subscribe()
      let delays = (0..<12).map { _ in Int.random(in: 0..<8, using: &random) }
      let isStubborn = Bool.random(using: &random)
      let busy = Inlet<Bool> { [log] phase in MainActor.assumeIsolated { log.phases.append(phase) }
      }
      let run = Task {
        await received.answer(OverlapRule(overlap), busy: busy) { number in
          for _ in 0..<delays[number] where isStubborn || !Task.isCancelled { await Task.yield() }
          return number
        } publish: { [log] _, number in
          log.published.append(number)
        }
      }
      for number in 0..<12 {
        channel.send(number)
        for _ in 0..<Int.random(in: 0..<5, using: &random) { await Task.yield() }
      }
      channel.finish()
      try await within { await run.value }
      check(Array(0..<12))
      let pairs = [Bool](repeating: true, count: log.phases.count / 2).flatMap { [$0, false] }
      XCTAssertEqual(log.phases, pairs, "round \(round): busy and not busy take turns")
    }
  }
}

@MainActor
private final class Log {
  var published: [Int] = []
  var phases: [Bool] = []
}
