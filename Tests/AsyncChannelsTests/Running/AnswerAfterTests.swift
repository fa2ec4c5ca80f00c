import AsyncChannelsTesting
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// `answer(after:)`: work that begins when the input has been quiet.
@MainActor
final class AnswerAfterTests: XCTestCase {
  private let pause = Duration.milliseconds(300)
  private let clock = TestClock()
  private let inputs = Channel<Int>()
  private let begun = Channel<Int>()
  private let answers = Channel<Int>()

  func test_C76_workBeginsOnTheNewestWhenNoneHasComeForThatLong() async throws {
    let published = Probe(answers.outlet)
    let run = answering(inputs.outlet.subscribe())
    for number in 1...3 { inputs.send(number) }
    try await clock.untilAsleep(for: pause)
    clock.advance(by: .milliseconds(299))
    inputs.send(4)
    clock.advance(by: .milliseconds(1))
    // The timer ends, and sleeps for what is left since the last element.
    try await clock.untilAsleep(within: .milliseconds(299)...pause)
    clock.advance(by: .milliseconds(298))
    try published.finish()
    let rest = Probe(answers.outlet)
    clock.advance(by: .milliseconds(2))
    try await rest.expect(4)
    inputs.send(5)
    try await clock.pass(pause)
    try await rest.expect(5)
    try rest.finish()
    try await run.cancelAndWait()
  }

  /// The time of the last element counts, not that at which the timer finds out: so work begins one
  /// pause after it, and not up to two.
  func test_C76_itIsNotLateHoweverElementsCome() async throws {
    let published = Probe(answers.outlet)
    let run = answering(inputs.outlet.subscribe())
    inputs.send(0)
    try await clock.untilAsleep(for: pause)
    clock.advance(by: .milliseconds(100))
    inputs.send(1)
    // The watcher sleeps again when it has noted the time.
    try await until("the time is noted") { [inputs] in inputs.log.sleeperCount == 1 }
    clock.advance(by: .milliseconds(200))
    try await clock.pass(.milliseconds(100))
    try await published.expect(1)
    try await run.cancelAndWait()
  }

  func test_C79_waitingForQuietIsNotWork() async throws {
    for overlap in Overlap.allCases {
      let busy = CurrentValue(false)
      let phases = Probe(busy.outlet)
      let published = Probe(answers.outlet)
      let run = answering(inputs.outlet.subscribe(), overlap, busy: busy.inlet)
      inputs.send(1)
      try await clock.untilAsleep(for: pause)
      XCTAssertFalse(busy.value, "\(overlap)")
      clock.advance(by: pause)
      try await published.expect(1)
      let seen = try await phases.next(3)
      XCTAssertEqual(seen, [false, true, false], "\(overlap)")
      inputs.send(2)
      try await clock.untilAsleep(for: pause)
      try await run.cancelAndWait()
      try phases.finish()
      try published.finish()
    }
  }

  func test_C76_atTheEndOfTheSequenceItBeginsImmediately() async throws {
    let published = Probe(answers.outlet)
    let run = answering(inputs.outlet.subscribe())
    inputs.send(1)
    inputs.send(2)
    try await clock.untilAsleep(for: pause)
    inputs.finish()
    try await within { await run.value }
    try await published.expect(2)
    try published.finish()
    XCTAssertFalse(clock.isAnybodyAsleep)
  }

  func test_C100_aNewerElementCancelsTheWorkWhenItComesAndNoOlderAnswerIsPublishedMeanwhile()
    async throws
  {
    let published = Probe(answers.outlet)
    let started = Probe(begun.outlet)
    let (gate, wasCancelled) = (Gate(), Gate())
    let run = answering(inputs.outlet.subscribe(), .latestOnly) { number in
      guard number == 1 else { return }
      await withTaskCancellationHandler {
        await gate.pass()
      } onCancel: {
        wasCancelled.open()
      }
    }
    inputs.send(1)
    try await clock.pass(pause)
    try await started.expect(1)
    inputs.send(2)
    // Before the pause is over.
    try await within { await wasCancelled.pass() }
    gate.open()
    try await clock.untilAsleep(for: pause)
    await giveWay(20)
    try published.finish()
    let rest = Probe(answers.outlet)
    try await clock.pass(pause)
    try await started.expect(2)
    try await rest.expect(2)
    try await run.cancelAndWait()
    try rest.finish()
  }

  /// Of a derived subscription, until it is taken nobody knows whether it is filtered out.
  func test_C100_ofADerivedSubscriptionItIsCancelledWhenTheNewerWorkBegins() async throws {
    let published = Probe(answers.outlet)
    let started = Probe(begun.outlet)
    let gate = Gate()
    let run = answering(inputs.outlet.filter { $0 > 0 }.subscribe(), .latestOnly) { number in
      if number == 1 { await gate.pass() }
    }
    inputs.send(1)
    try await clock.pass(pause)
    try await started.expect(1)
    inputs.send(-1)
    try await clock.pass(pause)
    gate.open()
    try await published.expect(1)
    try await run.cancelAndWait()
    try published.finish()
  }

  /// An element that comes after it was decided that the others have been quiet.
  func test_C76_anElementThatComesWhenQuietIsDecidedWaitsForItsOwn() async throws {
    for overlap in Overlap.allCases {
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe()
      let pauses = Atomic(0)
      let pause: Pause = { waiter in
        let offered = waiter.pendingCount
        if pauses.add(1, ordering: .relaxed).newValue == 1 {
          inputs.send(3)
          inputs.finish()
        }
        return offered
      }
      let rules = AnswerRules(
        overlap: overlap, pause: pause, busy: nil, isBusyInPause: false,
        tellsIgnored: false)
      let begun = Record<Int>()
      let work = Work<Int, Int>.silent { number in
        begun.add(number)
        return number
      }
      inputs.send(1)
      inputs.send(2)
      await Answering(
        rules, of: Consumer(received.makeAsyncIterator()), tellingIgnored: nil, work: work,
        publish: .answer { _ in }
      ).run()
      XCTAssertEqual(begun.events.first, overlap == .latestOnly ? begun.events.first : 2)
      XCTAssertEqual(pauses.load(ordering: .relaxed), 2, "\(overlap)")
      XCTAssertFalse(begun.events.contains(1), "\(overlap)")
    }
  }

  func test_C101_busyMayCoverThePause() async throws {
    for overlap in Overlap.allCases {
      let busy = CurrentValue(false)
      let phases = Probe(busy.outlet)
      let published = Probe(answers.outlet)
      let received = inputs.outlet.subscribe()
      let run = Task { [clock, pause, answers] in
        await received.answer(
          overlap, after: pause, clock: clock, busy: busy.inlet, isBusyInPause: true, by: { $0 }
        ) {
          answers.send($0)
        }
      }
      inputs.send(1)
      try await clock.untilAsleep(for: pause)
      XCTAssertTrue(busy.value, "\(overlap)")
      inputs.send(2)
      clock.advance(by: pause)
      try await clock.pass(pause)
      try await published.expect(2)
      let seen = try await phases.next(3)
      XCTAssertEqual(seen, [false, true, false], "\(overlap)")
      inputs.send(3)
      try await clock.untilAsleep(for: pause)
      XCTAssertTrue(busy.value, "\(overlap)")
      try await run.cancelAndWait()
      XCTAssertFalse(busy.value, "\(overlap)")
    }
  }

  /// One at a time: what comes while work goes on has come when that ends.
  func test_C76_oneAtATimeItWaitsForQuietWhenTheWorkIsDone() async throws {
    let published = Probe(answers.outlet)
    let started = Probe(begun.outlet)
    let gate = Gate()
    let run = answering(inputs.outlet.subscribe()) { number in
      if number == 1 { await gate.pass() }
    }
    inputs.send(1)
    try await clock.pass(pause)
    try await started.expect(1)
    inputs.send(2)
    inputs.send(3)
    clock.advance(by: pause)
    gate.open()
    try await published.expect(1)
    try await clock.pass(pause)
    try await published.expect(3)
    try await run.cancelAndWait()
    try published.finish()
  }

  func test_C76_whatIsFilteredOutCountsAsHavingCome() async throws {
    let published = Probe(answers.outlet)
    let run = answering(inputs.outlet.filter { $0 > 0 }.map { $0 * 10 }.subscribe())
    inputs.send(1)
    try await clock.untilAsleep(for: pause)
    inputs.send(-1)
    clock.advance(by: pause)
    try await clock.untilAsleep(for: pause)
    try published.finish()
    let rest = Probe(answers.outlet)
    clock.advance(by: pause)
    try await rest.expect(10)
    // Nothing that is worked on: it goes on waiting.
    inputs.send(-1)
    try await clock.pass(pause)
    let unread = answers.outlet.subscribe()
    // It may still come to the pause that ends now, and is worked on with it.
    inputs.send(2)
    try await until("2 is waited for, or worked on") { [clock] in
      clock.isAnybodyAsleep || unread.pendingCount > 0
    }
    clock.advance(by: pause)
    try await rest.expect(20)
    try await run.cancelAndWait()
    try rest.finish()
  }

  func test_C76_aSubscriberThatComesIsNoElement() async throws {
    let published = Probe(answers.outlet)
    let run = answering(inputs.outlet.subscribe(buffering: .bufferingNewest(1)))
    inputs.send(1)
    try await clock.untilAsleep(for: pause)
    let other = inputs.outlet.subscribe()
    clock.advance(by: pause)
    try await published.expect(1)
    withExtendedLifetime(other) {}
    try await run.cancelAndWait()
  }

  func test_C76_stateMadeOfSeveralStatesIsQuietWhenAllAre() async throws {
    let (first, second) = (CurrentValue(1), CurrentValue(10))
    let sum = StateOutlet.combine(first.projectedValue, second.projectedValue).map(+)
    let published = Probe(answers.outlet)
    let run = answering(sum.subscribe())
    try await clock.untilAsleep(for: pause)
    first.value = 2
    clock.advance(by: pause)
    try await clock.untilAsleep(for: pause)
    second.value = 20
    clock.advance(by: pause)
    try await clock.untilAsleep(for: pause)
    try published.finish()
    let rest = Probe(answers.outlet)
    clock.advance(by: pause)
    try await rest.expect(22)
    second.value = 30
    try await clock.untilAsleep(for: pause)
    first.finish()
    second.finish()
    try await within { await run.value }
    try await rest.expect(32)
    try rest.finish()
  }

  func test_C76_aSequenceThatIsNoSubscriptionIsWaitedForToo() async throws {
    let published = Probe(answers.outlet)
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let run = answering(stream)
    continuation.yield(1)
    continuation.yield(2)
    try await clock.untilAsleep(for: pause)
    continuation.yield(3)
    continuation.finish()
    try await within { await run.value }
    try await published.expect(3)
    try published.finish()
  }

  func test_C77_whatWaitsForQuietWhenACallIsCancelledIsThereForTheNext() async throws {
    for makeInput in Self.sources {
      let inputs = Channel<Int>()
      let received = makeInput(inputs.outlet)
      let published = Probe(answers.outlet)
      let first = answering(received)
      for number in 1...3 { inputs.send(number) }
      try await clock.untilAsleep(for: pause)
      first.cancel()
      // The next begins before the cancelled one has unwound.
      let second = answering(received)
      try await within { await first.value }
      try await clock.untilAsleep(for: pause)
      try await second.cancelAndWait()
      try published.finish()
      let rest = Probe(answers.outlet)
      let third = answering(received)
      try await clock.pass(pause)
      try await rest.expect(3)
      try await third.cancelAndWait()
      // It was begun, so it is there no longer.
      inputs.finish()
      let fourth = answering(received)
      try await within { await fourth.value }
      try rest.finish()
    }
  }

  func test_C77_aCallWithoutAPauseFindsThemToo() async throws {
    for makeInput in Self.sources {
      let inputs = Channel<Int>()
      let received = makeInput(inputs.outlet)
      let first = answering(received)
      inputs.send(1)
      try await clock.untilAsleep(for: pause)
      first.cancel()
      inputs.send(2)
      inputs.finish()
      var answered: [Int] = []
      await received.answer(by: { $0 }, publish: { answered.append($0) })
      XCTAssertEqual(answered, [1, 2])
      try await within { await first.value }
    }
  }

  func test_C77_aPlainLoopFindsAllThatWaitedForQuiet() async throws {
    for makeInput in Self.sources {
      let inputs = Channel<Int>()
      let received = makeInput(inputs.outlet)
      let run = answering(received)
      inputs.send(1)
      try await clock.untilAsleep(for: pause)
      inputs.send(2)
      run.cancel()
      inputs.finish()
      var rest: [Int] = []
      for await number in received { rest.append(number) }
      XCTAssertEqual(rest, [1, 2])
      try await within { await run.value }
    }
  }

  func test_C77_aNewerConsumerTakesItOverDuringTheQuietTime() async throws {
    let received = inputs.outlet.subscribe()
    let published = Probe(answers.outlet)
    let run = answering(received)
    inputs.send(1)
    try await clock.untilAsleep(for: pause)
    assertEqual(await received.next(), 1)
    inputs.send(2)
    clock.advance(by: pause)
    // 2 may come to the pause that ends now, or begin another.
    let time = Task { [clock, pause] in
      while !Task.isCancelled {
        clock.advance(by: pause)
        await Task.yield()
      }
    }
    try await within { await run.value }
    time.cancel()
    assertEqual(await received.next(), 2)
    try published.finish()
  }

  func test_C77_aCallThatIsCancelledBeforeItBeginsTakesNothing() async throws {
    let received = inputs.outlet.subscribe()
    let first = answering(received)
    inputs.send(1)
    try await clock.untilAsleep(for: pause)
    for _ in 0..<20 {
      let cancelled = answering(received)
      try await cancelled.cancelAndWait()
    }
    let published = Probe(answers.outlet)
    clock.advance(by: pause)
    try await published.expect(1)
    try await first.cancelAndWait()
  }

  func test_C77_whatWaitsForQuietIsReleasedWithTheSubscription() async throws {
    let inputs = Channel<Token>()
    var received = Optional(inputs.outlet.subscribe())
    var token = Optional(Token())
    weak let sameToken = token
    let (clock, pause) = (clock, pause)
    let run = Task { [received] in
      await received?.answer(after: pause, clock: clock) { _ in
      } publish: { _ in
      }
    }
    if let token { inputs.send(token) }
    token = nil
    try await clock.untilAsleep(for: pause)
    try await run.cancelAndWait()
    XCTAssertNotNil(sameToken)
    received = nil
    XCTAssertNil(sameToken)
  }

  /// Senders, cancelling and the clock in parallel, without an isolation that keeps them apart: every
  /// element is begun at most once, and the last always. Each is begun in a task of its own: a call that
  /// was cancelled may have taken an older one, and begin it after the last call has begun the newest.
  func test_C77_theLastIsAlwaysBegunExactlyOnceHoweverCallsAreCancelled() async throws {
    for round in 0..<600 {
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe(
        buffering: round % 3 == 0 ? .bufferingNewest(1) : .unbounded)
      let begun = Record<Int>()
      let clock = TestClock()
      @Sendable func call() -> Task<Void, Never> {
        Task.detached {
          await received.answer(
            .concurrent, after: .seconds(1), clock: clock, by: { begun.add($0) }, publish: { _ in })
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
    for round in 0..<900 {
      let inputs = Channel<Int>()
      let received = Self.sources[round % 3](inputs.outlet)
      let clock = TestClock()
      let run = Task.detached {
        await received.answer(after: .seconds(1), clock: clock, by: { $0 }, publish: { _ in })
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

  private static let sources: [(Outlet<Int>) -> Subscription<Int>] = [
    { $0.subscribe() }, { $0.subscribe(buffering: .bufferingNewest(2)) },
    { $0.map { $0 }.subscribe() },
  ]

  private func answering(
    _ received: some AsyncSequence<Int, Never> & Sendable, _ overlap: Overlap = .oneAtATime,
    busy: Inlet<Bool>? = nil, by work: @escaping @Sendable (Int) async -> Void = { _ in }
  ) -> Task<Void, Never> {
    Task { [clock, pause, begun, answers] in
      await received.answer(overlap, after: pause, clock: clock, busy: busy) { number in
        begun.send(number)
        await work(number)
        return number
      } publish: { number in
        MainActor.assertIsolated()
        answers.send(number)
      }
    }
  }
}

private final class Token: Sendable {}
