import AsyncChannelsTesting
import Observation
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// State from outside: reading it and following it (C53).
final class StateOutletTests: XCTestCase {
  func test_C53_itReadsAndFollowsTheState() async throws {
    let state = CurrentValue(1)
    let outlet = state.outlet
    let all = outlet.collecting()
    state.value = 2
    XCTAssertEqual(outlet.value, 2)
    state.update { $0 += 1 }
    XCTAssertEqual(outlet.value, 3)
    let late = outlet.collecting()
    state.finish()
    let (fromTheBeginning, fromThree) = try await (all.value, late.value)
    XCTAssertEqual(fromTheBeginning, [1, 2, 3])
    XCTAssertEqual(fromThree, [3])
  }

  func test_C53_itKeepsNoOwnerAliveAndItsValueIsTheLastThereWas() async throws {
    var state: CurrentValue<Int>? = CurrentValue(1)
    weak let observed = state
    let outlet = try XCTUnwrap(state?.outlet)
    let double = outlet.map { $0 * 2 }
    let both = StateOutlet.combine(outlet, double)
    let followers = [outlet.collecting(), double.collecting()]
    state?.value = 5
    state = nil
    XCTAssertNil(observed)
    XCTAssertEqual(outlet.value, 5)
    XCTAssertEqual(double.value, 10)
    XCTAssertEqual(both.value.1, 10)
    let followed = try await (followers[0].value, followers[1].value)
    XCTAssertEqual(followed.0, [1, 5])
    XCTAssertEqual(followed.1.last, 10)
    let afterwards = try await (outlet.collect(), double.collect())
    XCTAssertEqual(afterwards.0, [])
    XCTAssertEqual(afterwards.1, [])
  }

  func test_C53_aConstantIsReadAndGivenOnce() async throws {
    let constant = StateOutlet.constant("preview")
    XCTAssertEqual(constant.value, "preview")
    XCTAssertEqual(constant.map(\.count).value, 7)
    let followed = try await (constant.collect(), constant.map(\.count).collect())
    XCTAssertEqual(followed.0, ["preview"])
    XCTAssertEqual(followed.1, [7])
    let number = CurrentValue(1)
    let mixed = StateOutlet.combine(constant, number.outlet).map { "\($0) \($1)" }
    XCTAssertEqual(mixed.value, "preview 1")
    let follower = mixed.subscribe()
    XCTAssertEqual(follower.takeNow().element, "preview 1")
    number.value = 2
    number.finish()
    let (last, end) = await (follower.next(), follower.next())
    XCTAssertEqual(last, "preview 2")
    XCTAssertNil(end)
  }

  func test_C53_readingIsTrackedByObservation() {
    let state = CurrentValue(1)
    let told = Record<Int>()
    let outlet = state.outlet
    withObservationTracking {
      _ = outlet.value
    } onChange: {
      told.add(outlet.value)
    }
    state.value = 2
    XCTAssertEqual(told.events, [2])
  }

  @MainActor
  func test_C53_observingOnTheMainActorBeginsWithTheValueBeforeItReturns() async throws {
    let state = CurrentValue(1)
    let calls = Record<Int>()
    let tokens = [
      state.outlet.observe { calls.add($0) }, state.outlet.map { -$0 }.observe { calls.add($0) },
    ]
    XCTAssertEqual(calls.events, [1, -1])
    state.value = 2
    try await until("told") { calls.count == 4 }
    XCTAssertEqual(Set(calls.events), [1, -1, 2, -2])
    withExtendedLifetime(tokens) {}
  }

  @MainActor
  func test_C47g_anObserverThatWantsTheNewestOnlyIsNotGivenWhatCameBefore() async throws {
    let state = CurrentValue(0)
    let output = Channel<Int>()
    let calls = Record<Int>()
    let tokens = [
      state.outlet.observe(buffering: .bufferingNewest(1)) { calls.add($0) },
      output.outlet.observe(buffering: .bufferingNewest(2)) { calls.add($0) },
      state.outlet.map { -$0 }.observe(buffering: .bufferingNewest(1)) { calls.add($0) },
    ]
    XCTAssertEqual(calls.events, [0, 0])
    for number in 1...100 {
      state.value = number
      output.send(1_000 + number)
    }
    try await until("told") { calls.count == 6 }
    for _ in 0..<100 { await Task.yield() }
    XCTAssertEqual(calls.events.sorted(), [-100, 0, 0, 100, 1_099, 1_100])
    withExtendedLifetime(tokens) {}
  }

  func test_C53_itCanBeObservedByAnInlet() async throws {
    let (state, input) = (CurrentValue(1), Channel<Int>())
    let received = Probe(input.outlet)
    let token = state.outlet.observe(input.inlet.send)
    state.value = 2
    try await received.expect(1)
    try await received.expect(2)
    withExtendedLifetime(token) {}
  }
}

/// State that is made of state (C54, C55, C56).
final class DerivedStateTests: XCTestCase {
  func test_C54_itsValueIsRightImmediatelyAfterAWrite() {
    let (name, password) = (CurrentValue(""), CurrentValue(""))
    let isComplete = StateOutlet.combine(name.outlet, password.outlet)
      .map { !$0.isEmpty && $1.count >= 4 }
    XCTAssertFalse(isComplete.value)
    name.value = "ann"
    XCTAssertFalse(isComplete.value)
    password.value = "word"
    XCTAssertTrue(isComplete.value)
    name.value = ""
    XCTAssertFalse(isComplete.value)
  }

  func test_C54_readingItIsTrackedThroughAllThatItIsMadeOf() {
    let (one, two) = (CurrentValue(1), CurrentValue(10))
    let sum = StateOutlet.combine(one.outlet.map { $0 * 100 }, two.outlet).map { $0 + $1 }
    let told = Record<Int>()
    for change in [{ one.value = 2 }, { two.value = 20 }] {
      withObservationTracking {
        _ = sum.value
      } onChange: {
        told.add(sum.value)
      }
      change()
    }
    XCTAssertEqual(told.events, [210, 220])
  }

  func test_C54_optionalsAndOtherPartsAreReadAsTheyAre() {
    let (one, two) = (CurrentValue<Int?>(nil), CurrentValue<Int??>(.some(nil)))
    let text = StateOutlet.combine(one.outlet, two.outlet).map { "\($0 as Any) \($1 as Any)" }
    XCTAssertEqual(text.value, "nil Optional(nil)")
    one.value = 1
    two.value = nil
    XCTAssertEqual(text.value, "Optional(1) nil")
    let nothing = CurrentValue(())
    let both = StateOutlet.combine(nothing.outlet, one.outlet)
    XCTAssertEqual(both.value.1, 1)
  }

  func test_C55_followingItBeginsWithItsValueAndGivesEachChangeOfAny() async throws {
    let (one, two) = (CurrentValue(1), CurrentValue("a"))
    let probe = Probe(StateOutlet.combine(one.outlet, two.outlet).map { "\($0)\($1)" })
    try await probe.expect("1a")
    one.value = 2
    try await probe.expect("2a")
    two.value = "b"
    try await probe.expect("2b")
    one.value = 3
    try await probe.expect("3b")
    one.value = 3
    try await probe.expect("3b")
    try probe.finish()
  }

  /// A glitch would be a pair of an old value and what was made of the new one.
  func test_C55_aChangeOfAStateThatIsPartOfItTwiceIsOneChange() async throws {
    let state = CurrentValue(0)
    let (double, triple) = (state.outlet.map { $0 * 2 }, state.outlet.map { $0 * 3 })
    let part = StateOutlet.combine(state.outlet, double)
    let pairs = StateOutlet.combine(part, triple)
    let follower = pairs.collecting()
    for number in 1...1000 { state.value = number }
    state.finish()
    let seen = try await follower.value
    XCTAssertEqual(seen.map(\.0.0), seen.map(\.0.0).sorted())
    XCTAssertEqual(seen.last?.0.0, 1000)
    XCTAssertTrue(seen.allSatisfy { $0.0.1 == $0.0.0 * 2 && $0.1 == $0.0.0 * 3 })
  }

  func test_C55_howeverManyWriteNoPartIsEverOlderThanBefore() async throws {
    for round in 0..<20 {
      let states = (0..<3).map { _ in CurrentValue(0) }
      let all = StateOutlet.combine(states[0].outlet, states[1].outlet, states[2].outlet)
      let followers = [all.collecting(), all.map { $0 }.collecting(), all.collecting()]
      _ = try await concurrently(3) { writer in
        for number in 1...500 {
          states[writer].value = number
          if (number + round).isMultiple(of: 50) { await Task.yield() }
        }
      }
      for state in states { state.finish() }
      for follower in followers {
        let seen = try await follower.value
        XCTAssertEqual(seen.last.map { [$0.0, $0.1, $0.2] }, [500, 500, 500])
        for (before, after) in zip(seen, seen.dropFirst()) {
          XCTAssertTrue(before.0 <= after.0 && before.1 <= after.1 && before.2 <= after.2)
        }
      }
    }
  }

  func test_C55_aConstantPartNeverChanges() async throws {
    let number = CurrentValue(1)
    let both = StateOutlet.combine(.constant("a"), number.outlet.removeDuplicates())
    let follower = both.map { "\($0)\($1)" }.subscribe()
    let seen = [1, 2, 2].map { value in
      number.value = value
      return follower.takeNow().element
    }
    XCTAssertEqual(seen, ["a1", "a2", nil])
  }

  func test_C55_duplicatesAreRemovedWhereThatWasAskedFor() async throws {
    let (number, other) = (CurrentValue(0), CurrentValue("a"))
    let parity = number.outlet.map { $0 % 2 }.removeDuplicates()
    let follower = StateOutlet.combine(parity, other.outlet).map { "\($0)\($1)" }.subscribe()
    let whole = StateOutlet.combine(number.outlet.map { $0 / 10 }, other.outlet)
      .map { "\($0)\($1)" }.removeDuplicates().subscribe()
    var (seen, distinct): ([String?], [String?]) = ([], [])
    func take() {
      seen.append(follower.takeNow().element)
      distinct.append(whole.takeNow().element)
    }
    for next in [2, 4, 5, 7, 8, 11] {
      number.value = next
      take()
    }
    other.value = "a"
    take()
    XCTAssertEqual(seen, ["0a", nil, "1a", nil, "0a", "1a", "1a"])
    XCTAssertEqual(distinct, ["0a", nil, nil, nil, nil, "1a", nil])
  }

  /// Whatever the policy: one that is bounded finds the last value of what is finished, too.
  func test_C56b_whatIsFinishedStaysAPartOfAMergedState() async throws {
    for policy in [BufferingPolicy.unbounded, .bufferingNewest(1), .bufferingOldest(3)] {
      let (one, two) = (CurrentValue(1), CurrentValue(10))
      one.finish()
      let sum = StateOutlet.combine(one.projectedValue, two.projectedValue).map(+)
      let sums = sum.subscribe(buffering: policy)
      let first = await sums.next()
      XCTAssertEqual(first, 11, "\(policy)")
      two.value = 20
      let second = await sums.next()
      XCTAssertEqual(second, 21, "\(policy)")
    }
  }

  func test_C56a_itEndsWhenAllHaveEnded() async throws {
    let (one, two) = (CurrentValue(1), CurrentValue(10))
    let probe = Probe(StateOutlet.combine(one.outlet, two.outlet).map { $0 + $1 })
    try await probe.expect(11)
    one.value = 2
    one.finish()
    try await probe.expect(12)
    two.value = 20
    try await probe.expect(22)
    let late = Probe(StateOutlet.combine(one.outlet, two.outlet).map { $0 + $1 })
    try await late.expect(22)
    for policy in [BufferingPolicy.bufferingNewest(1), .bufferingOldest(1)] {
      let bounded = StateOutlet.combine(one.outlet, two.outlet).subscribe(buffering: policy)
      XCTAssertEqual(bounded.takeNow().element?.0, 2)
    }
    two.finish()
    try await probe.expectFinished()
    try await late.expectFinished()
  }

  func test_C56c_cancellingAndTakingOverLoseNothing() async throws {
    let (one, two) = (CurrentValue(0), CurrentValue(0))
    let subscription = StateOutlet.combine(one.outlet, two.outlet).subscribe()
    let writers = Task.detached {
      for number in 1...2000 {
        one.value = number
        two.value = -number
        if number.isMultiple(of: 20) { await Task.yield() }
      }
      one.finish()
      two.finish()
    }
    var seen: [(Int, Int)] = []
    for turn in 0..<100 {
      let consumer = Task {
        var taken: [(Int, Int)] = []
        for await pair in subscription { taken.append(pair) }
        return taken
      }
      await giveWay(turn % 5)
      if turn.isMultiple(of: 2) { consumer.cancel() }
      // Every other one is not cancelled, but displaced.
      if !turn.isMultiple(of: 2), let pair = await subscription.next() {
        seen += try await consumer.result() + [pair]
      } else {
        consumer.cancel()
        seen += try await consumer.result()
      }
    }
    try await writers.result()
    seen += try await subscription.collect()
    // In the order of the taking, which is not that of the recording.
    seen.sort { $0.0 - $0.1 < $1.0 - $1.1 }
    XCTAssertEqual(Set(seen.map { $0.0 - $0.1 }).count, seen.count, "none twice")
    XCTAssertEqual(seen.last?.0, 2000)
    XCTAssertEqual(seen.last?.1, -2000)
  }

  func test_C56d_thePolicyAppliesToEachStateAndDropsAreCounted() async throws {
    let (one, two) = (CurrentValue(0), CurrentValue(0))
    let newest = StateOutlet.combine(one.outlet, two.outlet)
      .subscribe(buffering: .bufferingNewest(1))
    for number in 1...10 { one.value = number }
    for number in 1...5 { two.value = number }
    XCTAssertEqual(newest.droppedCount, 15)
    let pair = try await newest.take(1)
    XCTAssertEqual(pair.map { [$0.0, $0.1] }, [[10, 5]])
  }

  func test_C56c_droppingTheSubscriptionLeavesNothingBehind() async throws {
    for policy in [BufferingPolicy.unbounded, .bufferingNewest(3)] {
      let census = Census()
      let states = (0..<3).map { CurrentValue(Tracked($0, in: census)) }
      var subscription: Subscription<Int>? = StateOutlet.combine(
        states[0].outlet, states[1].outlet, states[2].outlet
      ).map { $0.number + $1.number + $2.number }.subscribe(buffering: policy)
      let waiting = try XCTUnwrap(subscription).consuming()
      for _ in 0..<100 {
        for state in states { state.value = Tracked(1, in: census) }
        await giveWay(3)
      }
      try await until("asleep") { states.allSatisfy { $0.log.sleeperCount == 1 } }
      try await waiting.cancelAndWait()
      XCTAssertEqual(states.map(\.log.sleeperCount), [0, 0, 0])
      subscription = nil
      XCTAssertEqual(states.map(\.log.subscriberCount), [0, 0, 0])
      try await until("only the states' own values are left") { census.count == 3 }
      withExtendedLifetime(subscription) {}
    }
  }

  /// One state wakes the consumer, which leaves its places with the others.
  func test_C56c_oneThatWakesHasNoPlaceWithTheOthers() async throws {
    let states = (0..<3).map { CurrentValue($0) }
    let combined = StateOutlet.combine(states[0].outlet, states[1].outlet, states[2].outlet)
    let subscription = combined.map { $0 + $1 + $2 }.subscribe()
    let first = try await subscription.take(1)
    XCTAssertEqual(first, [3])
    let waiting = Task { await subscription.next() }
    try await until("asleep") { states.allSatisfy { $0.log.sleeperCount == 1 } }
    states[1].value = 11
    let second = try await waiting.result()
    XCTAssertEqual(second, 13)
    XCTAssertEqual(states.map(\.log.sleeperCount), [0, 0, 0])
    withExtendedLifetime(subscription) {}
  }

  /// It looks at the first state, and would wait for that, before it finds the second one changed.
  func test_C56c_oneThatFindsSomethingWaitsForNone() async throws {
    let states = (0..<2).map { CurrentValue($0) }
    let subscription = StateOutlet.combine(states[0].outlet, states[1].outlet).subscribe()
    @Sendable func nextBatch() async -> Int? {
      await subscription.batches().makeAsyncIterator().next()?.count
    }
    let first = await nextBatch()
    XCTAssertEqual(first, 1)
    // It has a doorbell since it slept.
    let waiting = Task { await nextBatch() }
    try await until("asleep") { states.allSatisfy { $0.log.sleeperCount == 1 } }
    states[0].value = 10
    let second = try await waiting.result()
    XCTAssertEqual(second, 1)
    states[1].value = 11
    let third = await nextBatch()
    XCTAssertEqual(third, 1)
    XCTAssertEqual(states.map(\.log.sleeperCount), [0, 0])
  }

  /// A consumer's body that writes what it follows, and a closure that reads it.
  func test_C55_writingWhatIsFollowedInsideTheLoopWorks() async throws {
    let (one, two) = (CurrentValue(0), CurrentValue(0))
    let both = StateOutlet.combine(one.outlet, two.outlet.map { $0 + one.value })
    let last = try await within {
      for await pair in both {
        if pair.0 == 10 { return both.value }
        one.update { $0 += 1 }
        two.update { $0 += 1 }
      }
      return (-1, -1)
    }
    XCTAssertGreaterThanOrEqual(last.0, 10)
  }
}
