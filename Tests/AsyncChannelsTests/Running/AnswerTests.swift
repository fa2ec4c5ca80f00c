import AsyncChannelsRunning
import AsyncChannelsTesting
import TestSupport
import XCTest

/// The general mechanism, on its own.
final class AnswerTests: XCTestCase {
  func test_itReturnsAtTheEndOfTheSequenceWhenAllIsAnswered() async throws {
    for overlap in [Overlap.oneAtATime, .concurrent] {
      let seen = Record<Int>()
      let stream = Outlet.just(1, 2, 3, 4, 5)
      await stream.answer(OverlapRule(overlap)) { number in
        await Task.yield()
        return number * 10
      } publish: { _, answer in
        seen.add(answer)
      }
      XCTAssertEqual(Set(seen.events), [10, 20, 30, 40, 50], "\(overlap)")
    }
  }

  func test_latestOnlyAnswersTheLastElementBeforeItReturns() async throws {
    let seen = Record<Int>()
    await Outlet.just(1, 2, 3).answer(.latestOnly, by: { $0 }, publish: { seen.add($1) })
    XCTAssertEqual(seen.events.last, 3)
  }

  func test_anActorIsCalledInItsIsolation() async throws {
    for overlap in [Overlap.oneAtATime, .concurrent] {
      let counter = Counter()
      try await within { await counter.count(Array(0..<2_000), overlap) }
      assertEqual(await counter.sum, 2_000 * 1_999 / 2, "\(overlap)")
    }
  }

  @MainActor
  func test_onTheMainActorAnAnswerIsPublishedThere() async throws {
    var seen: [Int] = []
    await Outlet.just(1, 2, 3).answer { number in
      // Elsewhere meanwhile.
      await Task.detached { number }.value
    } publish: { _, answer in
      MainActor.assertIsolated()
      seen.append(answer)
    }
    XCTAssertEqual(seen, [1, 2, 3])
  }

  @MainActor
  func test_C79a_busyIsSentOnceForEachStretchOfWork() async throws {
    try await withTestTime { time in
      let calls = Calls(.oneAtATime) { _ in }
      for number in 1...3 {
        calls.inputs.send(number)
        await time.idle()
      }
      await calls.cancel()
      XCTAssertEqual(calls.published, [1, 2, 3])
      XCTAssertEqual(calls.phases, [true, false, true, false, true, false])
    }
  }

  @MainActor
  func test_C101_busyStaysTrueBetweenInputsThatAreQueued() async throws {
    for overlap in Overlap.allCases {
      let input = Input<Int>()
      for number in 1...4 { input.inlet.send(number) }
      input.finish()
      var happened: [String] = []
      let busy = Inlet<Bool> { isBusy in MainActor.assumeIsolated { happened.append("\(isBusy)") } }
      await input.received.answer(
        OverlapRule(overlap), busy: busy, by: { $0 }, publish: { _, _ in })
      XCTAssertEqual(happened, ["true", "false"], "\(overlap)")
    }
  }

  /// What is filtered out may keep it for a moment longer.
  @MainActor
  func test_C101_itDoesNotStayBusyForWhatIsFilteredOut() async throws {
    try await withTestTime { time in
      let (numbers, busy) = (Channel<Int>(), CurrentValue(false))
      let phases = Probe(busy.outlet)
      let positive = numbers.outlet.filter { $0 > 0 }.subscribe()
      for number in [1, -1, -2] { numbers.send(number) }
      let run = Task { await positive.answer(busy: busy.inlet, by: { $0 }, publish: { _, _ in }) }
      await time.idle()
      XCTAssertEqual(phases.values, [false, true, false])
      run.cancel()
    }
  }

  func test_C79b_itIsNoLongerBusyJustBeforeTheLastAnswerIsPublished() async throws {
    for overlap in Overlap.allCases {
      let happened = Record<String>()
      await Outlet.just(1).answer(OverlapRule(overlap), busy: Inlet { happened.add("busy: \($0)") })
      {
        $0
      } publish: { _, number in
        happened.add("answer \(number)")
      }
      XCTAssertEqual(happened.events, ["busy: true", "busy: false", "answer 1"], "\(overlap)")
    }
  }

  @MainActor
  func test_C79c_aCancelledCallSaysThatItIsNoLongerBusy() async throws {
    try await withTestTime { time in
      for overlap in Overlap.allCases {
        let calls = Calls(overlap) { [clock = time.clock] _ in await clock.sleepThrough(.seconds(1))
        }
        calls.inputs.send(1)
        await time.idle()
        XCTAssertEqual(calls.phases, [true], "\(overlap)")
        calls.run.cancel()
        await time.run()
        XCTAssertEqual(calls.phases, [true, false], "\(overlap)")
        XCTAssertEqual(calls.published, [], "\(overlap)")
      }
    }
  }

  @MainActor
  func test_whatIsSentWhileNothingAnswersWaitsHoweverOftenItIsCancelled() async throws {
    try await withTestTime(orders: .random(20, seed: 1)) { time in
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe()
      let begun = Record<Int>()
      for number in 0..<30 {
        inputs.send(number)
        let run = Task.detached { await received.answer(by: { $0 }, publish: { begun.add($1) }) }
        // Before it has begun, so nothing is in flight.
        run.cancel()
        if number.isMultiple(of: 3) { await run.value }
      }
      XCTAssertEqual(begun.events, [], "seed \(time.seed ?? 0)")
      inputs.finish()
      await received.answer(by: { $0 }, publish: { begun.add($1) })
      XCTAssertEqual(begun.events, Array(0..<30), "seed \(time.seed ?? 0)")
    }
  }

  @MainActor
  func test_workThatWasSupersededIsCancelledAtOnce() async throws {
    try await withTestTime { time in
      let cancelled = Record<Int>()
      let calls = Calls(.latestOnly) { [clock = time.clock] number in
        guard number == 1 else { return }
        await withTaskCancellationHandler {
          await clock.sleepThrough(.seconds(1))
        } onCancel: {
          cancelled.add(number)
        }
      }
      calls.inputs.send(1)
      await time.idle()
      calls.inputs.send(2)
      await time.idle()
      XCTAssertEqual(cancelled.events, [1])
      XCTAssertEqual(calls.published, [2])
      await time.advance(by: .seconds(1))
      calls.inputs.send(3)
      await time.idle()
      XCTAssertEqual(calls.published, [2, 3])
      calls.run.cancel()
    }
  }
}

/// A call of `answer` in test time, and what comes of it.
@MainActor
private final class Calls {
  let inputs = Channel<Int>()
  let run: Task<Void, Never>
  private let answers: Probe<Int>
  private let busy: Probe<Bool>

  init(_ overlap: Overlap, by work: @escaping @Sendable (Int) async -> Void) {
    let (received, answers, busy) = (inputs.outlet.subscribe(), Channel<Int>(), Channel<Bool>())
    (self.answers, self.busy) = (Probe(answers.outlet), Probe(busy.outlet))
    // Detached: as nonisolated code calls it.
    run = Task.detached {
      await received.answer(OverlapRule(overlap), busy: busy.inlet) { number in
        await work(number)
        return number
      } publish: { _, number in
        answers.send(number)
      }
    }
  }

  var published: [Int] { answers.values }
  var phases: [Bool] { busy.values }

  func cancel() async {
    run.cancel()
    await run.value
  }
}

private actor Counter {
  private(set) var sum = 0

  func count(_ numbers: [Int], _ overlap: Overlap) async {
    let channel = Channel<Int>()
    let received = channel.outlet.subscribe()
    for number in numbers { channel.send(number) }
    channel.finish()
    await received.answer(OverlapRule(overlap)) { number in
      await Task.yield()
      return number
    } publish: { _, number in
      // Two steps, which only isolation keeps together.
      let old = self.sum
      self.sum = old + number
    }
  }
}
