import AsyncChannels
import AsyncChannelsTesting
import TestSupport
import XCTest

/// The general mechanism, on its own.
final class AnswerTests: XCTestCase {
  private let inputs = Channel<Int>()
  private let answers = Channel<Int>()
  private let busy = Channel<Bool>()

  func test_itReturnsAtTheEndOfTheSequenceWhenAllIsAnswered() async throws {
    for overlap in [Overlap.oneAtATime, .concurrent] {
      let seen = Record<Int>()
      let stream = Outlet.just(1, 2, 3, 4, 5)
      await stream.answer(overlap) { number in
        await Task.yield()
        return number * 10
      } publish: { answer in
        seen.add(answer)
      }
      XCTAssertEqual(Set(seen.events), [10, 20, 30, 40, 50], "\(overlap)")
    }
  }

  func test_latestOnlyAnswersTheLastElementBeforeItReturns() async throws {
    let seen = Record<Int>()
    await Outlet.just(1, 2, 3).answer(.latestOnly, by: { $0 }, publish: { seen.add($0) })
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
    } publish: { answer in
      MainActor.assertIsolated()
      seen.append(answer)
    }
    XCTAssertEqual(seen, [1, 2, 3])
  }

  func test_C79a_busyIsSentOnceForEachStretchOfWork() async throws {
    let phases = Probe(busy.outlet)
    let published = Probe(answers.outlet)
    let run = answering(.oneAtATime)
    for number in 1...3 {
      inputs.send(number)
      try await published.expect(number)
      try await phases.expect(true)
      try await phases.expect(false)
    }
    try phases.finish()
    try await run.cancelAndWait()
    try phases.finish()
  }

  @MainActor
  func test_C101_busyStaysTrueBetweenInputsThatAreQueued() async throws {
    for overlap in Overlap.allCases {
      let input = Input<Int>()
      for number in 1...4 { input.inlet.send(number) }
      input.finish()
      var happened: [String] = []
      let busy = Inlet<Bool> { isBusy in MainActor.assumeIsolated { happened.append("\(isBusy)") } }
      await input.received.answer(overlap, busy: busy, by: { $0 }, publish: { _ in })
      XCTAssertEqual(happened, ["true", "false"], "\(overlap)")
    }
  }

  /// What is filtered out may keep it for a moment longer.
  @MainActor
  func test_C101_itDoesNotStayBusyForWhatIsFilteredOut() async throws {
    let input = Input<Int>()
    let busy = CurrentValue(false)
    let received = input.received
    input.inlet.send(1)
    let run = Task {
      let outlet = Channel<Int>()
      let positive = outlet.outlet.filter { $0 > 0 }.subscribe()
      for number in [1, -1, -2] { outlet.send(number) }
      await positive.answer(busy: busy.inlet, by: { $0 }, publish: { _ in })
      _ = received
    }
    let phases = Probe(busy.outlet)
    let seen = try await phases.next(3)
    XCTAssertEqual(seen, [false, true, false])
    run.cancel()
  }

  func test_C79b_itIsNoLongerBusyJustBeforeTheLastAnswerIsPublished() async throws {
    for overlap in Overlap.allCases {
      let happened = Record<String>()
      await Outlet.just(1).answer(overlap, busy: Inlet { happened.add("busy: \($0)") }) {
        $0
      } publish: { number in
        happened.add("answer \(number)")
      }
      XCTAssertEqual(happened.events, ["busy: true", "busy: false", "answer 1"], "\(overlap)")
    }
  }

  func test_C79c_aCancelledCallSaysThatItIsNoLongerBusy() async throws {
    for overlap in Overlap.allCases {
      let (phases, gate, begun) = (Probe(busy.outlet), Gate(), Gate())
      let received = inputs.outlet.subscribe()
      let run = Task { [busy, answers] in
        await received.answer(overlap, busy: busy.inlet) { number in
          begun.open()
          await gate.pass()
          return number
        } publish: {
          answers.send($0)
        }
      }
      let published = Probe(answers.outlet)
      inputs.send(1)
      await begun.pass()
      try await phases.expect(true)
      run.cancel()
      gate.open()
      try await within { await run.value }
      try await phases.expect(false)
      try phases.finish()
      try published.finish()
    }
  }

  func test_whatIsSentWhileNothingAnswersWaitsHoweverOftenItIsCancelled() async throws {
    let received = inputs.outlet.subscribe()
    let begun = Record<Int>()
    for number in 0..<300 {
      inputs.send(number)
      // Cancelled before it has begun, so that nothing is in flight.
      let gate = Gate()
      let run = Task {
        await gate.pass()
        await received.answer(by: { $0 }, publish: { begun.add($0) })
      }
      run.cancel()
      gate.open()
      if number.isMultiple(of: 3) { await run.value }
    }
    XCTAssertEqual(begun.events, [])
    inputs.finish()
    try await within {
      await received.answer(by: { $0 }, publish: { begun.add($0) })
    }
    XCTAssertEqual(begun.events, Array(0..<300))
  }

  func test_workThatWasSupersededIsCancelledAtOnce() async throws {
    let began = Probe(busy.outlet)
    let never = Gate()
    defer { never.open() }
    let wasCancelled = Gate()
    let received = inputs.outlet.subscribe()
    let run = Task { [answers, busy] in
      await received.answer(.latestOnly, busy: busy.inlet) { number in
        guard number == 1 else { return number }
        await withTaskCancellationHandler {
          await never.pass()
        } onCancel: {
          wasCancelled.open()
        }
        return number
      } publish: {
        answers.send($0)
      }
    }
    let published = Probe(answers.outlet)
    inputs.send(1)
    try await began.expect(true)
    inputs.send(2)
    try await within { await wasCancelled.pass() }
    try await published.expect(2)
    never.open()
    inputs.send(3)
    try await published.expect(3)
    try published.finish()
    try await run.cancelAndWait()
  }

  private func answering(_ overlap: Overlap) -> Task<Void, Never> {
    let received = inputs.outlet.subscribe()
    return Task { [answers, busy] in
      await received.answer(overlap, busy: busy.inlet, by: { $0 }, publish: { answers.send($0) })
    }
  }
}

private actor Counter {
  private(set) var sum = 0

  func count(_ numbers: [Int], _ overlap: Overlap) async {
    let channel = Channel<Int>()
    let received = channel.outlet.subscribe()
    for number in numbers { channel.send(number) }
    channel.finish()
    await received.answer(overlap) { number in
      await Task.yield()
      return number
    } publish: { number in
      // Two steps, which only isolation keeps together.
      let old = self.sum
      self.sum = old + number
    }
  }
}
