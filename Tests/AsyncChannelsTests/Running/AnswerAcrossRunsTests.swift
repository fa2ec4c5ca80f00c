import AsyncChannelsRunning
import AsyncChannelsTesting
import Synchronization
import TestSupport
import XCTest

/// A call of `answer` that was cancelled, and the next, which began before the first had unwound.
final class AnswerAcrossRunsTests: XCTestCase {
  func test_whatIsSentAfterCancelReturnedIsNotBegunByTheCancelledCall() async throws {
    for (round, overlap) in rounds(Length.rounds(5_000), [.concurrent, .latestOnly]) {
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe(
        buffering: round % 3 == 0 ? .bufferingNewest(1) : .unbounded)
      let begun = Record<Int>()
      let run = Task.detached {
        await received.answer(OverlapRule(overlap), by: { begun.add($0) }, publish: { _, _ in })
      }
      // The call is in the midst of taking when it is cancelled.
      inputs.send(0)
      try await until("the call takes") { !begun.events.isEmpty }
      for number in 1..<(10 + round % 30) { inputs.send(number) }
      run.cancel()
      inputs.send(-1)
      try await within { await run.value }
      XCTAssertFalse(begun.events.contains(-1), "round \(round)")
      inputs.finish()
      let rest = Record<Int>()
      try await within {
        await received.answer(by: { rest.add($0) }, publish: { _, _ in })
      }
      XCTAssertEqual(rest.events.last, -1, "round \(round)")
    }
  }

  func test_C79e_itIsBusyWhileTheNextCallWorksHoweverTheCancelledOneUnwinds() async throws {
    // The first only: it may ignore what this waits for. See the tests below.
    for (round, overlap) in rounds(Length.rounds(3_000), [.oneAtATime, .latestOnly, .concurrent]) {
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe()
      let busy = CurrentValue(false)
      let (begun, gate) = (Gate(), Gate())
      @Sendable func call() -> Task<Void, Never> {
        Task.detached {
          await received.answer(OverlapRule(overlap), busy: busy.inlet) { number in
            guard number < 0 else { return }
            begun.open()
            await gate.pass()
          } publish: { _, _ in
          }
        }
      }
      let cancelled = call()
      for number in 0..<5 { inputs.send(number) }
      for _ in 0..<(round % 16) { await Task.yield() }
      cancelled.cancel()
      let next = call()
      inputs.send(-1)
      try await within {
        await cancelled.value
        await begun.pass()
      }
      // Without isolation another thread may be about to report that an earlier element is done.
      try await until("busy, round \(round), \(overlap)") { busy.value }
      gate.open()
      inputs.finish()
      try await within { await next.value }
      XCTAssertFalse(busy.value, "round \(round), \(overlap)")
    }
  }

  @MainActor
  func test_C79e_aSequenceThatIgnoresItsCancellationDoesNotDisturbTheNextCallsBusy() async throws {
    try await withTestTime { time in
      for overlap in Overlap.allCases {
        let busy = CurrentValue(false)
        let changes = Probe(busy.outlet)
        let cancelled = Task.detached { [clock = time.clock] in
          await Stubborn(clock: clock).answer(OverlapRule(overlap), busy: busy.inlet) {
            $0
          } publish: { _, _ in
            XCTFail("It was cancelled before it began.")
          }
        }
        cancelled.cancel()
        let next = Task.detached { [clock = time.clock] in
          await Outlet.just(1).answer(OverlapRule(overlap), busy: busy.inlet) { _ in
            await clock.sleepThrough(second * 2)
          } publish: { _, _ in
          }
        }
        await time.advance(by: second)
        await cancelled.value
        XCTAssertEqual(changes.values, [false, true], "\(overlap)")
        await time.advance(by: second)
        await next.value
        XCTAssertEqual(changes.values, [false, true, false], "\(overlap)")
      }
    }
  }

  /// The next call begins on the main actor before the cancelled one can run there.
  @MainActor
  func test_C79e_aCallThatBeginsRightAfterAnothersCancellationIsBusyWhenThatUnwinds() async throws {
    try await withTestTime { time in
      for overlap in Overlap.allCases {
        let query = CurrentValue(1)
        let busy = CurrentValue(false)
        let clock = time.clock
        let cancelled = Task {
          await query.outlet.answer(OverlapRule(overlap), busy: busy.inlet) { _ in
            await clock.sleepThrough(second)
          } publish: { _, _ in
            XCTFail("It was cancelled before it was answered.")
          }
        }
        await time.idle()
        let shown = Record<Bool>()
        cancelled.cancel()
        let next = Task {
          await query.outlet.answer(OverlapRule(overlap), busy: busy.inlet) { _ in
            await cancelled.value
            shown.add(busy.value)
          } publish: { _, _ in
            shown.add(busy.value)
            query.finish()
          }
        }
        await time.advance(by: second)
        await next.value
        XCTAssertEqual(shown.events, [true, false], "\(overlap)")
      }
    }
  }

  /// It would be called on whatever thread cancels, with whatever is locked there.
  @MainActor
  func test_C79d_whoeverCancelsDoesNotReportItAndNobodyWaitsForTheWorkToUnwind() async throws {
    try await withTestTime { time in
      for overlap in Overlap.allCases {
        let inputs = Channel<Int>()
        let received = inputs.outlet.subscribe()
        let isCancelling = Atomic(false)
        let reports = Channel<Bool>()
        let reported = Probe(reports.outlet)
        let busy = Inlet<Bool> { isBusy in
          XCTAssertFalse(isCancelling.load(ordering: .acquiring), "\(overlap)")
          MainActor.assertIsolated()
          reports.send(isBusy)
        }
        let run = Task { [clock = time.clock] in
          await received.answer(OverlapRule(overlap), busy: busy) { _ in
            await clock.sleepThrough(second)
          } publish: { _, _ in
          }
        }
        inputs.send(1)
        await time.idle()
        try await reported.expect(true)
        // The main actor, where it may be reported, is not free meanwhile.
        isCancelling.store(true, ordering: .releasing)
        onAnotherThread { run.cancel() }
        isCancelling.store(false, ordering: .releasing)
        // Reported by a task that the other thread has made, so by none of the test's own.
        try await reported.expect(false)
        XCTAssertEqual(time.clock.sleeperCount, 1, "The work goes on: \(overlap)")
        await time.advance(by: second)
        await run.value
        XCTAssertEqual(reported.values, [true, false], "\(overlap)")
      }
    }
  }

  @MainActor
  func test_C79e_callsThatShareAnInletAreBusyUntilNoneOfThemIs() async throws {
    try await withTestTime { time in
      let reports = Channel<Bool>()
      let reported = Probe(reports.outlet)
      for seconds in 1...2 {
        Task.detached { [clock = time.clock] in
          await Outlet.just(seconds).answer(busy: reports.inlet) { seconds in
            await clock.sleepThrough(second * seconds)
          } publish: { _, _ in
          }
        }
      }
      await time.advance(by: second)
      XCTAssertEqual(reported.values, [true])
      await time.advance(by: second)
      XCTAssertEqual(reported.values, [true, false])
    }
  }

  private func rounds(_ count: Int, _ overlaps: [Overlap]) -> [(round: Int, overlap: Overlap)] {
    (0..<count).map { ($0, overlaps[$0 % overlaps.count]) }
  }
}

private let second = Duration.seconds(1)

/// Gives one element after a second, cancelled or not.
private struct Stubborn: AsyncSequence, AsyncIteratorProtocol, Sendable {
  typealias Failure = Never
  let clock: TestClock
  private var isAtEnd = false

  init(clock: TestClock) {
    self.clock = clock
  }

  func makeAsyncIterator() -> Stubborn { self }

  mutating func next() async -> Int? {
    await next(isolation: nil)
  }

  mutating func next(isolation: isolated (any Actor)?) async -> Int? {
    guard !isAtEnd else { return nil }
    isAtEnd = true
    await clock.sleepThrough(second)
    return 1
  }
}
