import AsyncChannelsTesting
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRunning

/// `answer(after:)`: work that begins when the input has been quiet.
@MainActor
final class AnswerAfterTests: XCTestCase {
  func test_C76a_workBeginsOnTheNewestWhenNoneHasComeForThatLong() async throws {
    try await withTestTime { time in
      let calls = Calls(time)
      let run = calls.answer(calls.received)
      for number in 1...3 { calls.inputs.send(number) }
      await time.advance(by: .milliseconds(299))
      calls.inputs.send(4)
      await time.advance(by: .milliseconds(299))
      XCTAssertEqual(calls.published, [])
      await time.advance(by: .milliseconds(1))
      XCTAssertEqual(calls.published, [4])
      calls.inputs.send(5)
      await time.advance(by: pause)
      XCTAssertEqual(calls.published, [4, 5])
      run.cancel()
    }
  }

  /// The time of the last element counts, not that at which the timer finds out: so work begins one
  /// pause after it, and not up to two.
  func test_C76a_itIsNotLateHoweverElementsCome() async throws {
    try await withTestTime { time in
      let calls = Calls(time)
      let run = calls.answer(calls.received)
      calls.inputs.send(0)
      await time.advance(by: .milliseconds(100))
      calls.inputs.send(1)
      await time.advance(by: .milliseconds(299))
      XCTAssertEqual(calls.published, [])
      await time.advance(by: .milliseconds(1))
      XCTAssertEqual(calls.published, [1])
      run.cancel()
    }
  }

  func test_C79g_waitingForQuietIsNotWork() async throws {
    try await forEachOverlap { overlap, calls in
      let busy = CurrentValue(false)
      let phases = Probe(busy.outlet)
      let run = calls.answer(calls.received, overlap, busy: busy.inlet)
      calls.inputs.send(1)
      await calls.time.advance(by: .milliseconds(299))
      XCTAssertEqual(phases.values, [false], "\(overlap)")
      await calls.time.advance(by: .milliseconds(1))
      XCTAssertEqual(phases.values, [false, true, false], "\(overlap)")
      calls.inputs.send(2)
      await calls.time.idle()
      run.cancel()
      await run.value
      XCTAssertEqual(phases.values, [false, true, false], "\(overlap)")
      XCTAssertEqual(calls.published, [1], "\(overlap)")
    }
  }

  func test_C76b_atTheEndOfTheSequenceItBeginsImmediately() async throws {
    try await withTestTime { time in
      let calls = Calls(time)
      let run = calls.answer(calls.received)
      calls.inputs.send(1)
      calls.inputs.send(2)
      await time.idle()
      calls.inputs.finish()
      await run.value
      XCTAssertEqual(calls.published, [2])
      XCTAssertEqual(time.clock.sleeperCount, 0)
    }
  }

  func test_C100_aNewerElementCancelsTheWorkWhenItComesAndNoOlderAnswerIsPublishedMeanwhile()
    async throws
  {
    try await withTestTime { time in
      let calls = Calls(time)
      let run = calls.answer(calls.received, .latestOnly) { [clock = time.clock] number in
        if number == 1 { try? await clock.sleep(for: .seconds(9)) }
      }
      calls.inputs.send(1)
      await time.advance(by: pause)
      XCTAssertEqual(calls.begun, [1])
      calls.inputs.send(2)
      await time.idle()
      // Nobody works: the pause is all that is slept for.
      XCTAssertEqual(time.clock.rests, [pause])
      XCTAssertEqual(calls.published, [])
      await time.advance(by: pause)
      XCTAssertEqual(calls.begun, [1, 2])
      XCTAssertEqual(calls.published, [2])
      run.cancel()
    }
  }

  /// Of a derived subscription, until it is taken nobody knows whether it is filtered out.
  func test_C100_ofADerivedSubscriptionItIsCancelledWhenTheNewerWorkBegins() async throws {
    try await withTestTime { time in
      let calls = Calls(time)
      let received = calls.inputs.outlet.filter { $0 > 0 }.subscribe()
      let run = calls.answer(received, .latestOnly) { [clock = time.clock] number in
        if number == 1 { try? await clock.sleep(for: .seconds(1)) }
      }
      calls.inputs.send(1)
      await time.advance(by: pause)
      calls.inputs.send(-1)
      await time.advance(by: .seconds(1))
      XCTAssertEqual(calls.published, [1])
      run.cancel()
    }
  }

  /// An element that comes after it was decided that the others have been quiet.
  func test_C76c_anElementThatComesWhenQuietIsDecidedWaitsForItsOwn() async throws {
    for overlap in Overlap.allCases {
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe()
      let pauses = Atomic(0)
      var options = AnswerOptions<Int>(
        OverlapRule(overlap), .seconds(1), nil, on: ContinuousClock(), nil, false, nil, nil)
      options.rules.pause?.wait = { waiter, _ in
        let offered = waiter.pendingCount
        if pauses.add(1, ordering: .relaxed).newValue == 1 {
          inputs.send(3)
          inputs.finish()
        }
        return offered
      }
      let begun = Record<Int>()
      let work = WorkFunction<Int, Int>.silent { number in
        begun.add(number)
        return number
      }
      inputs.send(1)
      inputs.send(2)
      await Answering(
        options, of: Consumer(received.makeAsyncIterator()), by: work, publish: { _, _ in }
      ).run()
      // Works of `.concurrent` begin in any order.
      XCTAssertTrue(begun.events.contains(2) || overlap == .latestOnly, "\(overlap)")
      XCTAssertEqual(pauses.load(ordering: .relaxed), 2, "\(overlap)")
      XCTAssertFalse(begun.events.contains(1), "\(overlap)")
    }
  }

  func test_C101_busyMayCoverThePause() async throws {
    try await forEachOverlap { overlap, calls in
      let (time, busy, received) = (calls.time, CurrentValue(false), calls.received)
      let phases = Probe(busy.outlet)
      let run = Task {
        await received.answer(
          OverlapRule(overlap), debounce: Debounce(pause), clock: time.clock, busy: busy.inlet,
          busyFromArrival: true,
          by: { $0 }
        ) { calls.published.append($1) }
      }
      calls.inputs.send(1)
      await time.idle()
      XCTAssertTrue(busy.value, "\(overlap)")
      calls.inputs.send(2)
      await time.advance(by: pause)
      XCTAssertEqual(calls.published, [2], "\(overlap)")
      XCTAssertEqual(phases.values, [false, true, false], "\(overlap)")
      calls.inputs.send(3)
      await time.idle()
      XCTAssertTrue(busy.value, "\(overlap)")
      run.cancel()
      await run.value
      XCTAssertFalse(busy.value, "\(overlap)")
    }
  }

  /// One at a time: what comes while work goes on has come when that ends.
  func test_C76a_oneAtATimeItWaitsForQuietWhenTheWorkIsDone() async throws {
    try await withTestTime { time in
      let calls = Calls(time)
      let run = calls.answer(calls.received) { [clock = time.clock] number in
        if number == 1 { try? await clock.sleep(for: .seconds(1)) }
      }
      calls.inputs.send(1)
      await time.advance(by: pause)
      calls.inputs.send(2)
      calls.inputs.send(3)
      await time.advance(by: .seconds(1))
      XCTAssertEqual(calls.published, [1])
      XCTAssertEqual(calls.begun, [1])
      await time.advance(by: pause)
      XCTAssertEqual(calls.published, [1, 3])
      run.cancel()
    }
  }

  func test_C76d_whatIsFilteredOutCountsAsHavingCome() async throws {
    try await withTestTime { time in
      let calls = Calls(time)
      let run = calls.answer(calls.inputs.outlet.filter { $0 > 0 }.map { $0 * 10 }.subscribe())
      calls.inputs.send(1)
      await time.advance(by: .milliseconds(299))
      calls.inputs.send(-1)
      await time.advance(by: .milliseconds(299))
      XCTAssertEqual(calls.published, [])
      await time.advance(by: .milliseconds(1))
      XCTAssertEqual(calls.published, [10])
      // Nothing that is worked on: it goes on waiting.
      calls.inputs.send(-1)
      await time.advance(by: pause)
      calls.inputs.send(2)
      await time.advance(by: pause)
      XCTAssertEqual(calls.published, [10, 20])
      run.cancel()
    }
  }

  func test_C76a_aSubscriberThatComesIsNoElement() async throws {
    try await withTestTime { time in
      let calls = Calls(time)
      let run = calls.answer(calls.inputs.outlet.subscribe(buffering: .bufferingNewest(1)))
      calls.inputs.send(1)
      await time.advance(by: .milliseconds(299))
      let other = calls.inputs.outlet.subscribe()
      await time.advance(by: .milliseconds(1))
      XCTAssertEqual(calls.published, [1])
      withExtendedLifetime(other) {}
      run.cancel()
    }
  }

  func test_C76a_stateMadeOfSeveralStatesIsQuietWhenAllAre() async throws {
    try await withTestTime { time in
      let calls = Calls(time)
      let (first, second) = (CurrentValue(1), CurrentValue(10))
      let sum = StateOutlet.combine(first.projectedValue, second.projectedValue).map(+)
      let run = calls.answer(sum.subscribe())
      await time.advance(by: .milliseconds(299))
      first.value = 2
      await time.advance(by: .milliseconds(299))
      second.value = 20
      await time.advance(by: .milliseconds(299))
      XCTAssertEqual(calls.published, [])
      await time.advance(by: .milliseconds(1))
      XCTAssertEqual(calls.published, [22])
      second.value = 30
      await time.idle()
      first.finish()
      second.finish()
      await run.value
      XCTAssertEqual(calls.published, [22, 32])
    }
  }

  func test_C76b_aSequenceThatIsNoSubscriptionIsWaitedForToo() async throws {
    try await withTestTime { time in
      let calls = Calls(time)
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      let run = calls.answer(stream)
      continuation.yield(1)
      continuation.yield(2)
      await time.idle()
      continuation.yield(3)
      continuation.finish()
      await run.value
      XCTAssertEqual(calls.published, [3])
    }
  }

  func test_C77_whatWaitsForQuietWhenACallIsCancelledIsThereForTheNext() async throws {
    try await forEachSource { received, calls in
      let first = calls.answer(received)
      for number in 1...3 { calls.inputs.send(number) }
      await calls.time.idle()
      first.cancel()
      // The next begins before the cancelled one has unwound.
      let second = calls.answer(received)
      await first.value
      await calls.time.idle()
      second.cancel()
      await second.value
      XCTAssertEqual(calls.published, [])
      let third = calls.answer(received)
      await calls.time.advance(by: pause)
      XCTAssertEqual(calls.published, [3])
      third.cancel()
      await third.value
      // It was begun, so it is there no longer.
      calls.inputs.finish()
      await calls.answer(received).value
      XCTAssertEqual(calls.published, [3])
    }
  }

  func test_C77_aCallWithoutAPauseFindsThemToo() async throws {
    try await forEachSource { received, calls in
      let first = calls.answer(received)
      calls.inputs.send(1)
      await calls.time.idle()
      first.cancel()
      calls.inputs.send(2)
      calls.inputs.finish()
      await received.answer(by: { $0 }, publish: { calls.published.append($1) })
      XCTAssertEqual(calls.published, [1, 2])
    }
  }

  func test_C77_aPlainLoopFindsAllThatWaitedForQuiet() async throws {
    try await forEachSource { received, calls in
      let run = calls.answer(received)
      calls.inputs.send(1)
      await calls.time.idle()
      calls.inputs.send(2)
      run.cancel()
      calls.inputs.finish()
      var rest: [Int] = []
      for await number in received { rest.append(number) }
      XCTAssertEqual(rest, [1, 2])
    }
  }

  func test_C77_aNewerConsumerTakesItOverDuringTheQuietTime() async throws {
    try await withTestTime { time in
      let calls = Calls(time)
      let received = calls.received
      let run = calls.answer(received)
      calls.inputs.send(1)
      await time.idle()
      assertEqual(await received.next(), 1)
      calls.inputs.send(2)
      await time.run()
      await run.value
      assertEqual(await received.next(), 2)
      XCTAssertEqual(calls.published, [])
    }
  }

  func test_C77_aCallThatIsCancelledBeforeItBeginsTakesNothing() async throws {
    try await withTestTime { time in
      let calls = Calls(time)
      let received = calls.received
      let first = calls.answer(received)
      calls.inputs.send(1)
      await time.idle()
      for _ in 0..<20 {
        let cancelled = calls.answer(received)
        cancelled.cancel()
        await cancelled.value
      }
      await time.advance(by: pause)
      XCTAssertEqual(calls.published, [1])
      first.cancel()
    }
  }

  func test_C77_whatWaitsForQuietIsReleasedWithTheSubscription() async throws {
    try await withTestTime { time in
      let inputs = Channel<Token>()
      var received = Optional(inputs.outlet.subscribe())
      var token = Optional(Token())
      weak let sameToken = token
      let run = Task { [received] in
        await received?.answer(debounce: Debounce(pause), clock: time.clock) { _ in
        } publish: { _, _ in
        }
      }
      if let token { inputs.send(token) }
      token = nil
      await time.idle()
      run.cancel()
      await run.value
      XCTAssertNotNil(sameToken)
      received = nil
      XCTAssertNil(sameToken)
    }
  }

  /// Senders, cancelling and the clock in parallel, without an isolation that keeps them apart: every
  /// element is begun at most once, and the last always. Each is begun in a task of its own: a call that
  /// was cancelled may have taken an older one, and begin it after the last call has begun the newest.
  func test_C77_theLastIsAlwaysBegunExactlyOnceHoweverCallsAreCancelled() async throws {
    for round in 0..<Length.rounds(600) {
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe(
        buffering: round % 3 == 0 ? .bufferingNewest(1) : .unbounded)
      let begun = Record<Int>()
      let clock = TestClock()
      @Sendable func call() -> Task<Void, Never> {
        Task.detached {
          await received.answer(
            .concurrent, debounce: .seconds(1), clock: clock, by: { begun.add($0) },
            publish: { _, _ in })
        }
      }
      var calls: [Task<Void, Never>] = []
      for number in 0..<8 {
        calls.append(call())
        inputs.send(number)
        for _ in 0..<((round + number) % 7) { await Task.yield() }
        if (round + number) % 5 == 0 { clock.advance(by: .seconds(1)) }
        calls[number].cancel()
      }
      inputs.finish()
      calls.append(call())
      for call in calls { try await within { await call.value } }
      XCTAssertEqual(Set(begun.events).count, begun.events.count, "round \(round)")
      XCTAssertTrue(begun.events.contains(7), "round \(round)")
    }
  }

  /// Any other consumer has to find it in the subscription.
  func test_C28_whatIsSentAfterCancelReturnedIsNotTakenWithAPause() async throws {
    for round in 0..<Length.rounds(3_000) {
      let inputs = Channel<Int>()
      let received = Self.sources[round % 3](inputs.outlet)
      let clock = TestClock()
      let run = Task.detached {
        await received.answer(debounce: .seconds(1), clock: clock, by: { $0 }, publish: { _, _ in })
      }
      for number in 0..<(1 + round % 20) {
        inputs.send(number)
        if number == round % 7 { await Task.yield() }
      }
      run.cancel()
      inputs.send(-1)
      try await within { await run.value }
      inputs.finish()
      let rest = Record<Int>()
      try await within { for await number in received { rest.add(number) } }
      XCTAssertEqual(rest.events.last, -1, "round \(round)")
    }
  }

  private static let sources: [@Sendable (Outlet<Int>) -> Subscription<Int>] = [
    { $0.subscribe() }, { $0.subscribe(buffering: .bufferingNewest(2)) },
    { $0.map { $0 }.subscribe() },
  ]

  private func forEachSource(
    _ test: @escaping @MainActor (Subscription<Int>, Calls) async throws -> Void
  ) async throws {
    for makeInput in Self.sources {
      try await withTestTime { time in
        let calls = Calls(time)
        try await test(makeInput(calls.inputs.outlet), calls)
      }
    }
  }

  private func forEachOverlap(
    _ test: @escaping @MainActor (Overlap, Calls) async throws -> Void
  ) async throws {
    for overlap in Overlap.allCases {
      try await withTestTime { time in try await test(overlap, Calls(time)) }
    }
  }
}

private let pause = Duration.milliseconds(300)

/// Calls of `answer(after:)` in test time, and what comes of them.
@MainActor
private final class Calls {
  let time: TestTime
  let inputs = Channel<Int>()
  var published: [Int] = []
  private let record = Record<Int>()

  init(_ time: TestTime) { self.time = time }

  var received: Subscription<Int> { inputs.outlet.subscribe() }
  var begun: [Int] { record.events }

  func answer(
    _ received: some AsyncSequence<Int, Never> & Sendable, _ overlap: Overlap = .oneAtATime,
    busy: Inlet<Bool>? = nil, by work: @escaping @Sendable (Int) async -> Void = { _ in }
  ) -> Task<Void, Never> {
    Task { [time, record] in
      await received.answer(
        OverlapRule(overlap), debounce: Debounce(pause), clock: time.clock, busy: busy
      ) { number in
        record.add(number)
        await work(number)
        return number
      } publish: { _, number in
        MainActor.assertIsolated()
        self.published.append(number)
      }
    }
  }
}

private final class Token: Sendable {}
