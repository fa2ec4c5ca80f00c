import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRunning
@testable import AsyncChannelsTesting

/// Waiting until the listeners have caught up.
final class SettledTests: XCTestCase {
  private let policies: [BufferingPolicy] = [
    .unbounded, .bufferingNewest(1000), .bufferingOldest(1000),
  ]

  func test_C72_itWaitsForNoProbe() async throws {
    let channel = Channel<Int>()
    let (left, right) = (CurrentValue(0), CurrentValue(0))
    let sum = StateOutlet.combine(left.outlet, right.outlet).map { $0 + $1 }
    func settle() async throws {
      let hasSettled = try await within { await channel.outlet.waitUntilSettled() }
      XCTAssertTrue(hasSettled)
    }
    for round in 0..<20 {
      let probe = Probe(channel.outlet)
      let ofState = Probe(sum)
      channel.send(round)
      left.value = round
      try await settle()
      let hasStateSettled = try await within { await sum.waitUntilSettled() }
      XCTAssertTrue(hasStateSettled)
      // Asking, taking and sleeping change nothing.
      try await probe.expect(round)
      try await ofState.next()
      let waiting = Task { try await probe.next() }
      try await channel.untilAsleep(1)
      try await settle()
      channel.send(round)
      try await settle()
      _ = try await waiting.value
      try await settle()
      XCTAssertEqual(channel.subscriberCount, 1)
    }
    // And it is counted with the others no more than it is waited for.
    let listener = channel.outlet.subscribe()
    let probe = Probe(channel.outlet)
    channel.send(1)
    let settling = Task { await channel.outlet.waitUntilSettled() }
    try await until("it waits") { channel.log.isObserved.load(ordering: .relaxed) }
    for _ in 0..<20 { await Task.yield() }
    XCTAssertTrue(channel.log.isObserved.load(ordering: .relaxed))
    _ = probe.values
    XCTAssertTrue(channel.log.isObserved.load(ordering: .relaxed))
    _ = await listener.next()
    let asking = Task { await listener.next() }
    let hasSettled = await settling.value
    XCTAssertTrue(hasSettled)
    asking.cancel()
    _ = await asking.value
  }

  func test_C72_itReturnsWhenEachHasWorkedOnAllThatWasSentAndAsksForMore() async throws {
    for policy in policies {
      let channel = Channel<Int>(replaying: 1, buffering: policy)
      channel.send(-1)
      let done = (0..<3).map { _ in Record<Int>() }
      let tasks = done.enumerated().map { index, done in
        let subscription = channel.outlet.map { $0 }.subscribe()
        return Task {
          for await number in subscription {
            for _ in 0..<index { await Task.yield() }
            done.add(number)
          }
        }
      }
      for round in 0..<50 {
        for number in 0..<round % 4 { channel.send(number) }
        let expected = (0...round).reduce(1) { $0 + $1 % 4 }
        let hasSettled = try await within { await channel.outlet.waitUntilSettled() }
        XCTAssertTrue(hasSettled)
        XCTAssertEqual(done.map(\.count), [expected, expected, expected], "\(policy)")
      }
      channel.finish()
      for task in tasks { try await task.result() }
    }
  }

  func test_C72_aSubscriptionThatNobodyConsumesIsWaitedForUntilItIsDropped() async throws {
    for policy in policies {
      let channel = Channel<Int>(buffering: policy)
      var subscription: Subscription? = channel.outlet.subscribe()
      let settled = Task { await channel.outlet.waitUntilSettled() }
      try await until("it waits") { channel.isSettling }
      channel.send(1)
      // One that comes later is not waited for.
      let later = channel.outlet.subscribe()
      XCTAssertTrue(channel.isSettling)
      subscription = nil
      let hasSettled = try await settled.result()
      XCTAssertTrue(hasSettled)
      XCTAssertFalse(channel.isSettling)
      withExtendedLifetime((subscription, later)) {}
    }
  }

  func test_C72_itIsNotSettledWhileTheLastElementIsWorkedOn() async throws {
    for policy in policies {
      let channel = Channel<Int>(buffering: policy)
      let subscription = channel.outlet.subscribe()
      let iterator = subscription.makeAsyncIterator()
      for number in 0..<3 { channel.send(number) }
      let settled = Task { await channel.outlet.waitUntilSettled() }
      try await until("it waits") { channel.isSettling }
      for number in 0..<3 {
        let element = await iterator.next()
        XCTAssertEqual(element, number)
        XCTAssertTrue(channel.isSettling)
      }
      // Taken, and not asked for more: not settled. What is sent now is not waited for.
      channel.send(3)
      XCTAssertTrue(channel.isSettling)
      let more = Task { for await _ in subscription {} }
      let hasSettled = try await settled.result()
      XCTAssertTrue(hasSettled)
      more.cancel()
    }
  }

  /// To look whether there is more is not to ask for it.
  func test_C72_aLookThatFindsNothingAsksForNothing() async throws {
    for policy in policies {
      let channel = Channel<Int>(buffering: policy)
      var subscription: Subscription? = channel.outlet.subscribe()
      channel.send(1)
      let settled = Task { await channel.outlet.waitUntilSettled() }
      try await until("it waits") { channel.isSettling }
      XCTAssertEqual(subscription?.takeNow().element, 1)
      XCTAssertNil(subscription?.takeNow().element)
      XCTAssertTrue(channel.isSettling, "\(policy)")
      subscription = nil
      let hasSettled = try await settled.result()
      XCTAssertTrue(hasSettled)
    }
  }

  /// When work has ended, `answer` looks whether it goes on to be busy.
  @MainActor
  func test_C72_itIsNotSettledWhileAnAnswerIsPublished() async throws {
    for policy in policies {
      let (channel, busy) = (Channel<Int>(buffering: policy), CurrentValue(false))
      let subscription = channel.outlet.subscribe()
      let (isWorking, mayEnd) = (Gate(), Gate())
      let wasSettling = Record<Bool>()
      let run = Task {
        await subscription.answer(busy: busy.inlet) { _ in
          isWorking.open()
          await mayEnd.pass()
        } publish: { _, _ in
          wasSettling.add(channel.isSettling)
        }
      }
      channel.send(1)
      try await within { await isWorking.pass() }
      let settled = Task { await channel.outlet.waitUntilSettled() }
      try await until("it waits") { channel.isSettling }
      mayEnd.open()
      let hasSettled = try await settled.result()
      XCTAssertTrue(hasSettled)
      XCTAssertEqual(wasSettling.events, [true], "\(policy)")
      try await run.cancelAndWait()
    }
  }

  /// The consumer never sleeps: there is always more. A bounded one is heard of as soon as it asks, an
  /// unbounded one when it has taken up to 64 more.
  func test_C72_aConsumerThatAlwaysFindsAnElementSettlesToo() async throws {
    for policy in policies + [.bufferingNewest(3)] {
      let channel = Channel<Int>(buffering: policy)
      let iterator = channel.outlet.makeAsyncIterator()
      for number in 0..<10 { channel.send(number) }
      let settled = Task { await channel.outlet.waitUntilSettled() }
      try await until("it waits") { channel.isSettling }
      var taken = 0
      while channel.isSettling, taken < 200 {
        for number in 0..<3 { channel.send(number) }
        let element = await iterator.next()
        XCTAssertNotNil(element)
        taken += 1
      }
      let expected =
        switch policy {
        case .unbounded: 11...(10 + 64)
        // Three that were sent after it have replaced what there was: the first that is taken is later.
        case .bufferingNewest(3): 1...1
        default: 11...11
        }
      XCTAssertTrue(expected.contains(taken), "\(policy): \(taken)")
      let hasSettled = try await settled.result()
      XCTAssertTrue(hasSettled)
      // The fast path is open again.
      XCTAssertFalse(channel.log.state.withLock { $0.isObserved })
      for number in 0..<3 { channel.send(number) }
      for _ in 0..<3 {
        let element = await iterator.next()
        XCTAssertNotNil(element)
      }
    }
  }

  /// What was sent before is gathered together with what was sent after, over the end of a segment too,
  /// and not worked on before the next step.
  func test_C72_aStepOfBatchesAsksOnceWhenItBegins() async throws {
    for policy in policies + [.bufferingNewest(70)] {
      for isDerived in [false, true] {
        let channel = Channel<Int>(buffering: policy)
        let outlet = isDerived ? channel.outlet.filter { $0 >= 0 } : channel.outlet
        let batches = outlet.batches().makeAsyncIterator()
        for number in 0..<10 { channel.send(number) }
        let settled = Task { await channel.outlet.waitUntilSettled() }
        try await until("it waits") { channel.isSettling }
        for number in 10..<70 { channel.send(number) }
        let first = await batches.next()
        XCTAssertEqual(first?.last, 69)
        XCTAssertTrue(channel.isSettling, "\(policy)")
        channel.send(100)
        let second = await batches.next()
        XCTAssertEqual(second, [100])
        let hasSettled = try await settled.result(within: .seconds(20))
        XCTAssertTrue(hasSettled)
      }
    }
  }

  /// Of two calls, each waits for what was sent before it, and for no more.
  func test_C72_aBoundedSubscriberThatNeverSleepsSettlesForEachCallAsSoonAsItAsks() async throws {
    for policy in [BufferingPolicy.bufferingNewest(1000), .bufferingOldest(1000)] {
      let channel = Channel<Int>(buffering: policy)
      let iterator = channel.outlet.makeAsyncIterator()
      var calls: [Task<Bool, Never>] = []
      for number in 0..<2 {
        channel.send(number)
        calls.append(Task { await channel.outlet.waitUntilSettled() })
        try await until("it waits") { channel.waitCount == number + 1 }
      }
      for number in 2..<500 { channel.send(number) }
      for left in [2, 1, 0] {
        let element = await iterator.next()
        XCTAssertEqual(element, 2 - left)
        XCTAssertEqual(channel.waitCount, left)
      }
      for call in calls {
        let hasSettled = try await call.result(within: .seconds(20))
        XCTAssertTrue(hasSettled)
      }
    }
  }

  func test_C74d_aStateThatDoesNotChangeHasSettledBesideThoseThatAlwaysDo() async throws {
    for (takesBatches, isFirst) in [(false, false), (false, true), (true, false), (true, true)] {
      let (busy, idle) = (CurrentValue(0), CurrentValue(0))
      let (one, other) = isFirst ? (idle, busy) : (busy, idle)
      let both = StateOutlet.combine(one.outlet, other.outlet)
      let subscription = both.subscribe()
      let (iterator, batches) = (
        subscription.makeAsyncIterator(), subscription.batches().makeAsyncIterator()
      )
      let settled = Task { await idle.outlet.waitUntilSettled() }
      try await until("it waits") { idle.log.isObserved.load(ordering: .relaxed) }
      var steps = 0
      while idle.log.waitCount > 0, steps < 20 {
        busy.value += 1
        if takesBatches {
          let batch = await batches.next()
          XCTAssertNotNil(batch)
        } else {
          let values = await iterator.next()
          XCTAssertNotNil(values)
        }
        // There is something for the next step.
        busy.value += 1
        steps += 1
      }
      XCTAssertGreaterThan(steps, 1, "It has not asked for more.")
      XCTAssertLessThan(steps, 20)
      let hasSettled = try await settled.result(within: .seconds(20))
      XCTAssertTrue(hasSettled)
    }
  }

  /// It always finds more: so what counts is how much it has taken of the state that is asked.
  func test_C74a_aFollowerOfSeveralStatesSettlesWhenItHasTakenWhatThereWas() async throws {
    let (busy, idle) = (CurrentValue(0), CurrentValue(0))
    let iterator = StateOutlet.combine(busy.outlet, idle.outlet).subscribe().makeAsyncIterator()
    for number in 1...5 { busy.value = number }
    let settled = Task { await busy.outlet.waitUntilSettled() }
    try await until("it waits") { busy.log.waitCount == 1 }
    var last: Int?
    while busy.log.waitCount > 0, last ?? 0 < 50 {
      busy.value += 1
      last = await iterator.next()?.0
    }
    XCTAssertEqual(last, 6, "It has worked on 5, and asked for more.")
    busy.finish()
    _ = try await settled.result(within: .seconds(20))
    withExtendedLifetime(idle) {}
  }

  /// The consumer has slept, and taken all that there was of the state that is asked.
  func test_C74e_aStepThatAnotherStateBeganIsWaitedFor() async throws {
    let (busy, idle) = (CurrentValue(0), CurrentValue(0))
    let both = StateOutlet.combine(busy.outlet, idle.outlet)
    let (begun, gate) = (Gate(), Gate())
    let loop = Task {
      for await (number, _) in both where number == 1 {
        begun.open()
        await gate.pass()
      }
    }
    try await until("asleep") { idle.log.sleeperCount == 1 }
    busy.value = 1
    try await within { await begun.pass() }
    let settled = Task { await idle.outlet.waitUntilSettled() }
    try await until("it waits") { idle.log.waitCount == 1 }
    gate.open()
    let hasSettled = try await settled.result(within: .seconds(20))
    XCTAssertTrue(hasSettled)
    try await loop.cancelAndWait()
  }

  func test_C74a_C74b_C74c_allStatesOfADerivedOneAreWaitedForAtTheSameTime() async throws {
    let (name, age) = (CurrentValue("Ann"), CurrentValue(1))
    let both = StateOutlet.combine(name.outlet, age.outlet)
    var first: Subscription? = name.outlet.subscribe()
    let settled = Task { await both.waitUntilSettled() }
    try await until("it waits") { name.log.waitCount == 1 }
    // One that comes to the second while the first is waited for is not waited for.
    let later = age.outlet.subscribe()
    first = nil
    let hasSettled = try await settled.result(within: .seconds(20))
    XCTAssertTrue(hasSettled)

    // The end of the second is heard while the first is waited for.
    first = name.outlet.subscribe()
    let waits = Task { await both.waitUntilSettled() }
    try await until("it waits") { age.log.waitCount == 1 }
    age.finish()
    let hasSettledAfterTheEnd = try await waits.result(within: .seconds(20))
    XCTAssertFalse(hasSettledAfterTheEnd)
    XCTAssertEqual(name.log.waitCount, 0)
    XCTAssertFalse(name.log.isObserved.load(ordering: .relaxed))
    withExtendedLifetime((first, later)) {}
  }

  func test_C72_whatWasReplayedOrKeptIsWaitedFor() async throws {
    let state = CurrentValue(1)
    let seen = Record<Int>()
    let follower = state.outlet.subscribe()
    let settled = Task { await state.outlet.waitUntilSettled() }
    try await until("it waits") { state.log.isObserved.load(ordering: .relaxed) }
    let task = Task { for await value in follower { seen.add(value) } }
    let hasSettled = try await settled.result()
    XCTAssertTrue(hasSettled)
    XCTAssertEqual(seen.events, [1])
    task.cancel()

    let channel = Channel<Int>(replaying: 1)
    channel.send(1)
    let first = channel.outlet.subscribe()
    let waits = Task { await channel.outlet.waitUntilSettled() }
    try await until("it waits") { channel.isSettling }
    let consumer = Task { for await value in first { seen.add(value) } }
    let hasHeard = try await waits.result()
    XCTAssertTrue(hasHeard)
    XCTAssertEqual(seen.events, [1, 1])
    consumer.cancel()
  }

  @MainActor
  func test_C74a_aTestCanLookAtWhatAnObserverHasShown() async throws {
    let (name, age) = (CurrentValue("Ann"), CurrentValue(1))
    var label = ""
    let token = StateOutlet.combine(name.outlet, age.outlet).map { "\($0), \($1)" }
      .observe { text in
        await Task.yield()
        label = text
      }
    for number in 2..<20 {
      age.value = number
      let hasSettled = await StateOutlet.combine(name.outlet, age.outlet).waitUntilSettled()
      XCTAssertTrue(hasSettled)
      XCTAssertEqual(label, "Ann, \(number)")
    }
    name.value = "Bob"
    let hasSettled = await name.outlet.map { $0 }.waitUntilSettled()
    XCTAssertTrue(hasSettled)
    XCTAssertEqual(label, "Bob, 19")
    token.cancel()
  }

  func test_C72_severalWaitEachForWhatWasSentBeforeIt() async throws {
    for policy in policies {
      let channel = Channel<Int>(buffering: policy)
      let done = Locked(0)
      let subscription = channel.outlet.subscribe()
      let consumer = Task {
        for await _ in subscription {
          await Task.yield()
          done.withLock { $0 += 1 }
        }
      }
      let sent = Locked(0)
      let results = try await concurrently(8) { number in
        for _ in 0..<50 {
          let before = sent.withLock { sent in
            channel.send(number)
            sent += 1
            return sent
          }
          guard await channel.outlet.waitUntilSettled() else { return false }
          if done.withLock({ $0 }) < before { return false }
        }
        return true
      }
      XCTAssertEqual(results, Array(repeating: true, count: 8), "\(policy)")
      consumer.cancel()
    }
  }

  /// The queue of one that is always behind is full whenever somebody begins to wait.
  func test_C72_callersThatComeAllTheTimeDoNotHoldUpEachOther() async throws {
    let channel = Channel<Int>()
    let behind = channel.outlet.subscribe(buffering: .bufferingNewest(20))
    for number in 0..<20 { channel.send(number) }
    let firstIsBack = Locked(false)
    let first = Task {
      await channel.outlet.waitUntilSettled()
      firstIsBack.withLock { $0 = true }
    }
    var others: [Task<Bool, Never>] = []
    for number in 20..<200 where !firstIsBack.withLock({ $0 }) {
      try await until("somebody waits") { channel.log.isObserved.load(ordering: .relaxed) }
      channel.send(number)
      others.append(Task { await channel.outlet.waitUntilSettled() })
      await giveWay(3)
      _ = await behind.next()
    }
    try await within { await first.value }
    channel.finish()
    for other in others { _ = await other.value }
  }

  /// `answer` that waits for quiet sleeps at the log as well, and has not taken anything.
  @MainActor
  func test_C72_oneThatLetsElementsLieHasNotSettled() async throws {
    try await withTestTime { time in
      let channel = Channel<Int>()
      let subscription = channel.outlet.subscribe()
      let done = Record<Int>()
      let working = Task.detached {
        await subscription.answer(.oneAtATime, debounce: .seconds(1), clock: time.clock, by: { $0 })
        {
          done.add($1)
        }
      }
      await time.idle()
      channel.send(1)
      await time.idle()
      let settled = Task.detached { await channel.outlet.waitUntilSettled() }
      await time.idle()
      XCTAssertTrue(channel.isSettling)
      await time.advance(by: .seconds(1))
      let hasSettled = await settled.value
      XCTAssertTrue(hasSettled)
      XCTAssertEqual(done.events, [1])
      working.cancel()
    }
  }

  func test_C72_C74a_C74f_withNobodyThereItReturnsImmediately() async throws {
    let channel = Channel<Int>()
    let isSettled = try await within { await channel.outlet.waitUntilSettled() }
    XCTAssertTrue(isSettled)
    let consumer = channel.outlet.subscribe().consuming()
    try await channel.untilAsleep(1)
    let isStillSettled = try await within { await channel.outlet.map { $0 }.waitUntilSettled() }
    XCTAssertTrue(isStillSettled)
    consumer.cancel()
    let constant = try await within { await StateOutlet.constant(1).waitUntilSettled() }
    XCTAssertTrue(constant)
    let output = Output<Int>()
    let isOutputSettled = try await within { await output.outlet.waitUntilSettled() }
    XCTAssertTrue(isOutputSettled)
  }

  func test_C73_finishingAndCancellingEndItWithFalse() async throws {
    for cancels in [false, true] {
      let channel = Channel<Int>()
      let subscription = channel.outlet.subscribe()
      let settled = Task { await channel.outlet.waitUntilSettled() }
      try await until("it waits") { channel.isSettling }
      if cancels { settled.cancel() } else { channel.finish() }
      let hasSettled = try await settled.result()
      XCTAssertFalse(hasSettled)
      XCTAssertFalse(channel.isSettling)
      // The next call does not count what the cancelled one has noted.
      if cancels {
        let next = Task { await channel.outlet.waitUntilSettled() }
        try await until("it waits") { channel.isSettling }
        let consumer = subscription.consuming()
        let hasSettled = try await next.result()
        XCTAssertTrue(hasSettled)
        consumer.cancel()
      }
      withExtendedLifetime(subscription) {}
    }
    let finished = Channel<Int>()
    finished.finish()
    let afterTheEnd = await finished.outlet.waitUntilSettled()
    XCTAssertFalse(afterTheEnd)
    let cancelled = Task {
      cancelThisTask()
      let channel = Channel<Int>()
      return await channel.outlet.waitUntilSettled()
    }
    let whenCancelled = await cancelled.value
    XCTAssertFalse(whenCancelled)
  }

  /// Consumers that sleep, are cancelled, displaced and dropped, while it is waited for: it always
  /// returns, and those that are left have taken what was sent before.
  func test_C72_C73_itReturnsWhateverTheSubscribersDo() async throws {
    for round in 0..<Length.rounds(300) {
      let channel = Channel<Int>(buffering: policies[round % 3])
      let consumed = Locked(0)
      let steady = channel.outlet.subscribe()
      let steadyTask = Task.detached {
        for await _ in steady { consumed.withLock { $0 += 1 } }
      }
      let coming = Task.detached {
        for index in 0..<20 {
          let subscription = channel.outlet.subscribe()
          let consumer = subscription.consuming()
          await giveWay(index % 3)
          if index.isMultiple(of: 2) { consumer.cancel() }
          if index.isMultiple(of: 3) { _ = subscription.takeNow() }
          await giveWay(1)
          consumer.cancel()
          _ = await consumer.value
        }
      }
      for number in 1...40 {
        channel.send(number)
        let hasSettled = try await within { await channel.outlet.waitUntilSettled() }
        XCTAssertTrue(hasSettled)
        XCTAssertEqual(consumed.withLock { $0 }, number)
      }
      await coming.value
      steadyTask.cancel()
      await steadyTask.value
    }
  }
}

extension Channel {
  /// Whether somebody waits until it has settled.
  fileprivate var isSettling: Bool { waitCount > 0 }

  fileprivate var waitCount: Int { log.waitCount }
}

extension BroadcastLogBase {
  /// For how many calls a subscriber is waited for.
  fileprivate var waitCount: Int {
    observers.compactMap { $0 as? SettleWait }.count { $0.hasSettled == nil }
  }
}
