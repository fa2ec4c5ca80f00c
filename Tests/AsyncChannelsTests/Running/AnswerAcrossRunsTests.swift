import AsyncChannels
import AsyncChannelsTesting
import Foundation
import Synchronization
import TestSupport
import XCTest

/// A call of `answer` that was cancelled, and the next, which began before the first had unwound.
final class AnswerAcrossRunsTests: XCTestCase {
  func test_whatIsSentAfterCancelReturnedIsNotBegunByTheCancelledCall() async throws {
    for (round, overlap) in rounds(2_000, [.concurrent, .latestOnly]) {
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe(
        buffering: round % 3 == 0 ? .bufferingNewest(1) : .unbounded)
      let begun = Record<Int>()
      let run = Task.detached {
        await received.answer(overlap, by: { begun.add($0) }, publish: { _ in })
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
        await received.answer(by: { rest.add($0) }, publish: { _ in })
      }
      XCTAssertEqual(rest.events.last, -1, "round \(round)")
    }
  }

  func test_C79e_itIsBusyWhileTheNextCallWorksHoweverTheCancelledOneUnwinds() async throws {
    // The first only: it may ignore what this waits for. See the tests below.
    for (round, overlap) in rounds(1_000, [.oneAtATime, .latestOnly, .concurrent]) {
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe()
      let busy = CurrentValue(false)
      let (begun, gate) = (Gate(), Gate())
      @Sendable func call() -> Task<Void, Never> {
        Task.detached {
          await received.answer(overlap, busy: busy.inlet) { number in
            guard number < 0 else { return }
            begun.open()
            await gate.pass()
          } publish: { _ in
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

  func test_C79e_aSequenceThatIgnoresItsCancellationDoesNotDisturbTheNextCallsBusy() async throws {
    for overlap in Overlap.allCases {
      let busy = CurrentValue(false)
      let (late, begun, gate) = (Gate(), Gate(), Gate())
      let cancelled = Task {
        await Stubborn(gate: late).answer(overlap, busy: busy.inlet) {
          $0
        } publish: { _ in
          XCTFail("It was cancelled before it began.")
        }
      }
      cancelled.cancel()
      let next = Task {
        await Outlet.just(1).answer(overlap, busy: busy.inlet) { _ in
          begun.open()
          await gate.pass()
        } publish: { _ in
        }
      }
      let changes = Probe(busy.outlet)
      try await within { await begun.pass() }
      try await changes.next(where: { $0 })
      late.open()
      try await within { await cancelled.value }
      try changes.finish()
      gate.open()
      try await within { await next.value }
      XCTAssertFalse(busy.value, "\(overlap)")
    }
  }

  /// The next call begins on the main actor before the cancelled one can run there.
  @MainActor
  func test_C79e_aCallThatBeginsRightAfterAnothersCancellationIsBusyWhenThatUnwinds() async throws {
    for overlap in Overlap.allCases {
      let query = CurrentValue(1)
      let busy = CurrentValue(false)
      let (begun, gate) = (Gate(), Gate())
      let cancelled = Task {
        await query.outlet.answer(overlap, busy: busy.inlet) { _ in
          begun.open()
          await gate.pass()
        } publish: { _ in
          XCTFail("It was cancelled before it was answered.")
        }
      }
      try await within { await begun.pass() }
      let shown = Record<Bool>()
      cancelled.cancel()
      await query.outlet.answer(overlap, busy: busy.inlet) { _ in
        gate.open()
        await cancelled.value
        shown.add(busy.value)
      } publish: { _ in
        shown.add(busy.value)
        query.finish()
      }
      XCTAssertEqual(shown.events, [true, false], "\(overlap)")
    }
  }

  /// It would be called on whatever thread cancels, with whatever is locked there.
  @MainActor
  func test_C79d_whoeverCancelsDoesNotReportItAndNobodyWaitsForTheWorkToUnwind() async throws {
    for overlap in Overlap.allCases {
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe()
      let (begun, gate) = (Gate(), Gate())
      let isCancelling = Atomic(false)
      let reports = Channel<Bool>()
      let reported = Probe(reports.outlet)
      let busy = Inlet<Bool> { isBusy in
        XCTAssertFalse(isCancelling.load(ordering: .acquiring), "\(overlap)")
        MainActor.assertIsolated()
        reports.send(isBusy)
      }
      let run = Task {
        await received.answer(overlap, busy: busy) { _ in
          begun.open()
          await gate.pass()
        } publish: { _ in
        }
      }
      inputs.send(1)
      try await within { await begun.pass() }
      try await reported.expect(true)
      // The main actor, where it may be reported, is not free meanwhile.
      isCancelling.store(true, ordering: .releasing)
      let done = DispatchSemaphore(value: 0)
      Thread {
        run.cancel()
        done.signal()
      }.start()
      XCTAssertTrue(isSignalled(done))
      isCancelling.store(false, ordering: .releasing)
      try await reported.expect(false)
      gate.open()
      try await within { await run.value }
      try reported.finish()
    }
  }

  func test_C79e_callsThatShareAnInletAreBusyUntilNoneOfThemIs() async throws {
    let reports = Channel<Bool>()
    let reported = Probe(reports.outlet)
    let gates = [Gate(), Gate()]
    let begun = Record<Int>()
    let calls = gates.enumerated().map { index, gate in
      Task {
        await Outlet.just(index).answer(busy: reports.inlet) { number in
          begun.add(number)
          await gate.pass()
        } publish: { _ in
        }
      }
    }
    try await reported.expect(true)
    try await until("both work") { begun.count == 2 }
    gates[0].open()
    try await within { await calls[0].value }
    try reported.finish()
    let rest = Probe(reports.outlet)
    gates[1].open()
    try await within { await calls[1].value }
    try await rest.expect(false)
    try rest.finish()
  }

  private func rounds(_ count: Int, _ overlaps: [Overlap]) -> [(round: Int, overlap: Overlap)] {
    (0..<count).map { ($0, overlaps[$0 % overlaps.count]) }
  }
}

/// Gives one element when its gate is opened, cancelled or not.
private struct Stubborn: AsyncSequence, AsyncIteratorProtocol, Sendable {
  typealias Failure = Never
  let gate: Gate
  private var isAtEnd = false

  init(gate: Gate) {
    self.gate = gate
  }

  func makeAsyncIterator() -> Stubborn { self }

  mutating func next() async -> Int? {
    await next(isolation: nil)
  }

  mutating func next(isolation: isolated (any Actor)?) async -> Int? {
    guard !isAtEnd else { return nil }
    isAtEnd = true
    await gate.pass()
    return 1
  }
}

/// Blocks, as asynchronous code is not to: this is about a thread that is not free.
private func isSignalled(_ semaphore: DispatchSemaphore) -> Bool {
  semaphore.wait(timeout: .now() + 20) == .success
}
