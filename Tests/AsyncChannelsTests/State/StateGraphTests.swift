import Observation
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// Derived state is computed once for a change, and follows what it reads.
final class StateGraphTests: XCTestCase {
  private let calls = Record<String>()

  func test_C140a_nothingIsComputedWhileNothingHasChanged() {
    let (one, two) = (CurrentValue(1), CurrentValue(2))
    let sum = StateOutlet.combine(one.outlet, two.outlet).map { [calls] in
      calls.add("sum")
      return $0 + $1
    }
    let followers = (0..<3).map { _ in sum.subscribe() }
    for follower in followers { XCTAssertEqual(follower.takeNow().element, 3) }
    XCTAssertEqual([sum.value, sum.value], [3, 3])
    XCTAssertEqual(calls.take(), ["sum"])
    two.value = 3
    XCTAssertEqual([sum.value, sum.value], [4, 4])
    for follower in followers { XCTAssertEqual(follower.takeNow().element, 4) }
    XCTAssertEqual(calls.take(), ["sum"], "readers and followers share it")
  }

  func test_C140a_whatIsMadeOfAnEqualValueIsNotComputed() {
    let number = CurrentValue(1)
    let isEven = number.outlet.map { $0.isMultiple(of: 2) }.removeDuplicates()
    let text = isEven.map { [calls] in
      calls.add("text")
      return "\($0)"
    }
    XCTAssertEqual(text.value, "false")
    number.value = 3
    XCTAssertEqual(text.value, "false")
    XCTAssertEqual(calls.take(), ["text"])
    number.value = 4
    XCTAssertEqual(text.value, "true")
    XCTAssertEqual(calls.take(), ["text"])
  }

  func test_C140b_theChosenStateIsFollowedAndNoOther() {
    let rows = [CurrentValue("a"), CurrentValue("b")]
    let selected = CurrentValue(0)
    let text = selected.outlet.flatMap { rows[$0].outlet }.map { [calls] in
      calls.add($0)
      return $0
    }
    let follower = text.subscribe()
    XCTAssertEqual(follower.takeNow().element, "a")
    rows[0].value = "A"
    XCTAssertEqual(follower.takeNow().element, "A")
    XCTAssertEqual([rows[0].subscriberCount, rows[1].subscriberCount], [1, 0])
    _ = calls.take()
    rows[1].value = "B"
    XCTAssertNil(follower.takeNow().element)
    XCTAssertEqual(text.value, "A")
    XCTAssertEqual(calls.take(), [])
    selected.value = 1
    XCTAssertEqual(follower.takeNow().element, "B")
    XCTAssertEqual([rows[0].subscriberCount, rows[1].subscriberCount], [0, 1])
    _ = calls.take()
    rows[0].value = "old"
    XCTAssertNil(follower.takeNow().element)
    XCTAssertEqual(text.value, "B")
    XCTAssertEqual(calls.take(), [], "what is read no more is not followed")
    rows[1].value = "new"
    XCTAssertEqual([text.value, follower.takeNow().element], ["new", "new"])
  }

  /// One that sleeps is woken by what it has read last.
  func test_C140b_aSleepingFollowerIsWokenByTheChosenState() async throws {
    let rows = [CurrentValue(0), CurrentValue(100)]
    let selected = CurrentValue(0)
    let number = selected.outlet.flatMap { rows[$0].outlet }
    let got = Record<Int>()
    let loop = Task { for await number in number { got.add(number) } }
    try await until("asleep") { got.events == [0] && rows[0].log.sleeperCount == 1 }
    selected.value = 1
    try await until("asleep again") { got.events == [0, 100] && rows[1].log.sleeperCount == 1 }
    XCTAssertEqual(rows[0].log.subscriberCount, 0)
    rows[1].value = 101
    try await until("woken") { got.events == [0, 100, 101] }
    for state in rows { state.finish() }
    selected.finish()
    try await within { await loop.value }
  }

  /// A change that comes while the state is chosen is not missed.
  func test_C140b_aChangeOfWhatIsJustChosenIsNotMissed() async throws {
    for _ in 0..<200 {
      let (rows, selected, number) = chosenOfTwo()
      let follower = number.subscribe()
      let last = Task {
        var last = -1
        for await number in follower { last = number }
        return last
      }
      try await onThreads(2) { thread in
        if thread == 0 { selected.value = 1 } else { for count in 1...20 { rows[1].value = count } }
      }
      for state in rows + [selected] { state.finish() }
      let seen = try await within { await last.value }
      XCTAssertEqual(seen, 20)
    }
  }

  func test_C140c_whatIsReadUntrackedIsNotFollowed() {
    let (draft, user) = (CurrentValue("x"), CurrentValue("Ann"))
    let entry = StateOutlet.combine(draft.outlet, draft.outlet)
      .map { text, _ in untracked { text + user.value } }
    let follower = entry.subscribe()
    XCTAssertEqual(follower.takeNow().element, "xAnn")
    user.value = "Bob"
    XCTAssertNil(follower.takeNow().element)
    XCTAssertEqual(entry.value, "xAnn")
    draft.value = "y"
    XCTAssertEqual([entry.value, follower.takeNow().element], ["yBob", "yBob"])
    XCTAssertEqual(untracked { user.value }, "Bob")
  }

  func test_C55_anArrayOfStatesIsAnArrayOfTheirValues() {
    let states = (0..<1_000).map { CurrentValue($0) }
    let all = StateOutlet.combine(states.map(\.outlet))
    let follower = all.subscribe()
    XCTAssertEqual(follower.takeNow().element, Array(0..<1_000))
    states[7].value = -7
    XCTAssertEqual(follower.takeNow().element?[7], -7)
    XCTAssertNil(follower.takeNow().element)
    XCTAssertEqual(StateOutlet.combine([StateOutlet<Int>]()).value, [])
  }

  /// Its value is told to Observation through all states that it was made of, also if it is known already.
  @MainActor
  func test_C54_aKnownValueIsTrackedToo() {
    let rows = [CurrentValue("a"), CurrentValue("b")]
    let selected = CurrentValue(1)
    let text = selected.outlet.flatMap { rows[$0].outlet }
    XCTAssertEqual(text.value, "b")
    for state in [rows[1], CurrentValue("")] {
      let isTold = Atomic(false)
      withObservationTracking {
        _ = text.value
      } onChange: {
        isTold.store(true, ordering: .relaxed)
      }
      state.value += "!"
      XCTAssertEqual(isTold.load(ordering: .relaxed), state === rows[1])
    }
  }

  /// A property that keeps what it has computed until Observation tells it of a change, as many write it.
  @MainActor
  func test_C54_aTrackingInAClosureHearsOfWhatItReads() {
    let name = CurrentValue("Ann")
    let cached = Locked<String?>(nil)
    @Sendable func greeting() -> String {
      if let known = cached.withLock({ $0 }) { return known }
      let made = withObservationTracking {
        "Hello \(name.value)"
      } onChange: {
        cached.withLock { $0 = nil }
      }
      cached.withLock { $0 = made }
      return made
    }
    let count = CurrentValue(0)
    let line = count.outlet.flatMap { .constant("\(greeting()): \($0)") }
    XCTAssertEqual(
      withObservationTracking {
        line.value
      } onChange: {
      }, "Hello Ann: 0")
    name.value = "Bob"
    count.value = 1
    XCTAssertEqual(
      withObservationTracking {
        line.value
      } onChange: {
      }, "Hello Bob: 1")
  }

  /// Two threads each write their pair of states, the second after the first. A value in which the second is ahead never was.
  func test_C140e_aValueThatIsReadWasThereAtOneMoment() async throws {
    let states = (0..<4).map { _ in CurrentValue(0) }
    let one = StateOutlet.combine(states[1].outlet, states[0].outlet).map { [$0, $1] }
    let two = StateOutlet.combine(states[3].outlet, states[2].outlet).map { [$0, $1] }
    let all = StateOutlet.combine(one, two, one).map { [$0, $1, $2] }
    let isOver = Atomic(0)
    let wrong = Record<[[Int]]>()
    try await onThreads(4) { thread in
      if thread < 2 {
        for number in 1...20_000 {
          states[2 * thread].value = number
          states[2 * thread + 1].value = number
        }
        isOver.add(1, ordering: .releasing)
      } else {
        var last = [0, 0]
        while isOver.load(ordering: .acquiring) < 2 {
          let value = all.value
          let isRight =
            value[0] == value[2]
            && value.allSatisfy { $0[0] <= $0[1] && $0[1] <= $0[0] + 1 }
            && value[0][1] >= last[0] && value[1][1] >= last[1]
          if !isRight { wrong.add(value) }
          last = [value[0][1], value[1][1]]
        }
      }
    }
    XCTAssertEqual(wrong.count, 0, "\(wrong.events.prefix(3))")
    XCTAssertEqual(all.value, [[20_000, 20_000], [20_000, 20_000], [20_000, 20_000]])
  }

  /// A closure takes longer than the pause between two writes.
  func test_C140f_readingEndsThoughAStateIsWrittenAllTheTime() async throws {
    let (one, two) = (CurrentValue(0), CurrentValue(0))
    let isOver = Atomic(false)
    let order = StateOutlet.combine(two.outlet, one.outlet).map { two, one in
      let begin = ContinuousClock.now
      while ContinuousClock.now - begin < .microseconds(200) {}
      return one - two
    }
    let reader = Task.detached {
      defer { isOver.store(true, ordering: .releasing) }
      while one.value == 0 { await Task.yield() }
      return Set((0..<50).map { _ in order.value })
    }
    try await onThreads(1) { _ in
      var number = 0
      let deadline = ContinuousClock.now + .seconds(30)
      while !isOver.load(ordering: .acquiring), ContinuousClock.now < deadline {
        number += 1
        one.value = number
        two.value = number
        updateTogether(one, two) { ($0, $1) = (number, number) }
      }
    }
    let values = try await within { await reader.value }
    XCTAssert(values.isSubset(of: [0, 1]), "\(values)")
  }

  /// Somebody else has read the value between the two that are equal.
  func test_C11_aFollowerOfRemoveDuplicatesGetsNoEqualValueAfterAnother() {
    let (one, two) = (CurrentValue(0), CurrentValue(0))
    let sum = StateOutlet.combine(one.outlet, two.outlet).map { $0 + $1 }.removeDuplicates()
    let follower = sum.subscribe()
    XCTAssertEqual(follower.takeNow().element, 0)
    one.value = 1
    XCTAssertEqual(sum.value, 1)
    one.value = 0
    XCTAssertNil(follower.takeNow().element)
    two.value = 5
    XCTAssertEqual(follower.takeNow().element, 5)
  }

  /// Others compute it at the same time, and find what it is made of before the follower does.
  func test_C140b_aChangeIsNotMissedThoughOthersReadIt() async throws {
    for _ in 0..<Length.rounds(1_000) {
      let (rows, selected, number) = chosenOfTwo()
      let follower = number.subscribe()
      let last = Task {
        var last = -1
        for await number in follower {
          last = number
          if last == 20 { break }
        }
        return last
      }
      try await onThreads(3) { thread in
        if thread > 0 {
          for _ in 0..<40 { _ = number.value }
          return
        }
        selected.value = 1
        for count in 1...20 { rows[1].value = count }
      }
      let seen = try await within { await last.value }
      XCTAssertEqual(seen, 20)
    }
  }

  /// What a `deinit` reads is no reading of the closure that has let go of it.
  func test_C140c_aClosureThatIsDestroyedMayReadTheState() {
    final class Reading: Sendable {
      let read: @Sendable () -> Void
      init(_ read: @escaping @Sendable () -> Void) { self.read = read }
      deinit { read() }
    }
    let (root, seen) = (CurrentValue(0), Record<Int>())
    let box = Locked<StateOutlet<Int>?>(nil)
    let state = root.outlet.flatMap { number in
      let reading = Reading { if let state = box.withLock({ $0 }) { seen.add(state.value) } }
      return StateOutlet.combine(root.outlet, root.outlet).map { one, _ in
        withExtendedLifetime(reading) { one + number }
      }
    }
    box.withLock { $0 = state }
    for number in 1...3 {
      root.value = number
      XCTAssertEqual(state.value, 2 * number)
    }
    XCTAssert(seen.count > 0)
    box.withLock { $0 = nil }
  }

  /// Nor does a thread that has read it.
  func test_C25_derivedStateKeepsNoValueAliveWhenItIsGone() {
    let census = Census()
    for _ in 0..<2 {
      let (one, two) = (CurrentValue(Tracked(1, in: census)), CurrentValue(Tracked(2, in: census)))
      let both = StateOutlet.combine(one.outlet, two.outlet).map { $0.number + $1.number }
      XCTAssertEqual(both.value, 3)
      one.value = Tracked(3, in: census)
      XCTAssertEqual([both.value, both.value], [5, 5])
    }
    XCTAssertEqual(census.count, 0)
  }

  func test_C140d_theMemoryOfAGraphGrowsWithItsNodes() {
    let root = CurrentValue(0)
    var layer = root.outlet
    for _ in 0..<100 { layer = StateOutlet.combine(layer, root.outlet).map { $0 &+ $1 } }
    XCTAssertEqual(layer.value, 0)
    root.value = 1
    XCTAssertEqual(layer.value, 101)
    let held = Resident.held
    let followers = (0..<1_000).map { _ in layer.subscribe() }
    // A copy of the graph would be three times as much.
    XCTAssertLessThan((Resident.held - held) / followers.count, 4_000)
    XCTAssertEqual(root.subscriberCount, 1_000)
    for follower in followers { XCTAssertEqual(follower.takeNow().element, 101) }
  }

  func test_C140g_whatAClosureTracksIsFollowed() {
    let (isOn, one, two) = (CurrentValue(false), CurrentValue(1), CurrentValue(2))
    let chosen = StateOutlet(tracking: { isOn.value ? one.value : two.value })
    let follower = chosen.subscribe()
    XCTAssertEqual(follower.takeNow().element, 2)
    one.value = 10
    XCTAssertNil(follower.takeNow().element)
    isOn.value = true
    XCTAssertEqual([chosen.value, follower.takeNow().element], [10, 10])
    one.value = 11
    XCTAssertEqual([chosen.value, follower.takeNow().element], [11, 11])
    XCTAssertEqual([one.subscriberCount, two.subscriberCount], [1, 0])
  }

  func test_C55_derivedStateGivesTheNewestWhateverThePolicy() {
    let root = CurrentValue(0)
    let states = [
      root.outlet.map { $0 }, root.outlet.removeDuplicates(),
      StateOutlet.combine(root.outlet, root.outlet).map { $0.0 },
    ]
    let followers = states.flatMap {
      [$0.subscribe(), $0.subscribe(buffering: .bufferingOldest(2))]
    }
    let each = root.outlet.subscribe()
    for number in 1...3 { root.value = number }
    for follower in followers { XCTAssertEqual(all(of: follower), [3]) }
    XCTAssertEqual(all(of: each), [0, 1, 2, 3])
    root.value = 4
    root.finish()
    for follower in followers { XCTAssertEqual(all(of: follower), [4], "the last is not missed") }
  }

  private func all(of subscription: Subscription<Int>) -> [Int] {
    Array(sequence(state: ()) { _ in subscription.takeNow().element })
  }

  private func chosenOfTwo() -> ([CurrentValue<Int>], CurrentValue<Int>, StateOutlet<Int>) {
    let rows = [CurrentValue(0), CurrentValue(0)]
    let selected = CurrentValue(0)
    return (rows, selected, selected.outlet.flatMap { rows[$0].outlet })
  }
}
