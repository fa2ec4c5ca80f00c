import AsyncChannelsTesting
import Dispatch
import Observation
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// What is computed when, and of what.
final class StateGraphTests: XCTestCase {
  private let calls = Record<String>()

  private func counted<Value>(
    _ name: String, _ state: StateOutlet<Value>
  ) -> StateOutlet<Value> {
    state.map { [calls] in
      calls.add(name)
      return $0
    }
  }

  private func names() -> [String] { calls.take().sorted() }

  // MARK: Propagation

  func test_C118_nothingIsComputedBeforeSomebodyAsks() {
    let state = CurrentValue(1)
    let derived = counted("a", state.outlet)
    state.value = 2
    let subscription = derived.subscribe()
    state.value = 3
    XCTAssertEqual(names(), [])
    XCTAssertEqual(derived.value, 3)
    XCTAssertEqual(subscription.takeNow().element, 3)
    XCTAssertEqual(names(), ["a"])
    XCTAssertEqual(derived.value, 3)
    XCTAssertEqual(names(), [], "nothing has changed")
  }

  /// a, of which b and c are made, of which d is.
  func test_C118_eachOfADiamondIsComputedOnceForAChangeWhoeverAsks() async {
    let state = CurrentValue(1)
    let a = counted("a", state.outlet)
    let (b, c) = (counted("b", a.map { $0 + 1 }), counted("c", a.map { -$0 }))
    let d = counted("d", StateOutlet.combine(b, c).map { $0 + $1 })
    let followers = [d.subscribe(), d.subscribe(), b.subscribe(), c.subscribe()]
    for follower in followers { XCTAssertNotNil(follower.takeNow().element) }
    XCTAssertEqual(names(), ["a", "b", "c", "d"])
    for number in 2...4 {
      state.value = number
      XCTAssertEqual(followers.map { $0.takeNow().element }, [1, 1, number + 1, -number])
      XCTAssertEqual([d.value, a.value, c.value], [1, number, -number])
      XCTAssertEqual(names(), ["a", "b", "c", "d"])
    }
  }

  /// The way over one side is longer.
  func test_C118_unequalWaysMeetInOneValue() {
    let state = CurrentValue(1)
    let long = (0..<5).reduce(counted("0", state.outlet)) { counted("\($1 + 1)", $0) }
    let both = counted("both", StateOutlet.combine(state.outlet, long).map { "\($0) \($1)" })
    XCTAssertEqual(both.value, "1 1")
    _ = names()
    state.value = 2
    XCTAssertEqual(both.value, "2 2")
    XCTAssertEqual(names(), ["0", "1", "2", "3", "4", "5", "both"])
  }

  func test_C121a_onlyWhatDependsOnAChangeIsComputed() {
    let (one, two) = (CurrentValue(1), CurrentValue(2))
    let (a, b) = (counted("a", one.outlet), counted("b", two.outlet))
    let sum = counted("sum", StateOutlet.combine(a, b).map { $0 + $1 })
    let other = counted("other", b)
    XCTAssertEqual([sum.value, other.value], [3, 2])
    _ = names()
    one.value = 10
    XCTAssertEqual([sum.value, other.value], [12, 2])
    XCTAssertEqual(names(), ["a", "sum"])
  }

  func test_C118_whatIsNotAskedForIsNotComputedHoweverOftenItChanges() {
    let state = CurrentValue(0)
    let derived = counted("a", state.outlet)
    XCTAssertEqual(derived.value, 0)
    for number in 1...1_000 { state.value = number }
    XCTAssertEqual(derived.value, 1_000)
    XCTAssertEqual(names(), ["a", "a"])
  }

  // MARK: Equality

  func test_C121a_anEqualValueEndsAChange() {
    let state = CurrentValue(1)
    let isOdd = counted("odd", state.outlet.map { !$0.isMultiple(of: 2) }).removeDuplicates()
    let text = counted("text", isOdd.map { "\($0)" })
    let subscription = text.subscribe()
    XCTAssertEqual(subscription.takeNow().element, "true")
    _ = names()
    for number in [3, 5] {
      state.value = number
      XCTAssertNil(subscription.takeNow().element)
      XCTAssertEqual(text.value, "true")
      XCTAssertEqual(names(), ["odd"])
    }
    state.value = 4
    XCTAssertEqual(subscription.takeNow().element, "false")
    XCTAssertEqual(names(), ["odd", "text"])
  }

  /// Both sides of a diamond are equal to what they were.
  func test_C121a_whatIsMadeOfTwoEqualSidesIsNotComputed() {
    let state = CurrentValue(1)
    let (one, other) = (
      state.outlet.map { $0 > 0 }.removeDuplicates(), state.outlet.map { $0 > 1 }.removeDuplicates()
    )
    let both = counted("both", StateOutlet.combine(one, other).map { "\($0) \($1)" })
    XCTAssertEqual(both.value, "true false")
    _ = names()
    state.value = 1
    XCTAssertEqual(both.value, "true false")
    XCTAssertEqual(names(), [])
    state.value = 2
    XCTAssertEqual(both.value, "true true")
    XCTAssertEqual(names(), ["both"])
  }

  // MARK: What a closure reads

  func test_C121c_whatAClosureReadsIsFollowed() async throws {
    let rows = (0..<3).map { CurrentValue("\($0)") }
    let (selected, unrelated) = (CurrentValue(0), CurrentValue(0))
    let title = counted("title", selected.outlet.map { rows[$0].value })
    let told = Record<String>()
    let subscription = title.subscribe()
    XCTAssertEqual(subscription.takeNow().element, "0")
    withObservationTracking {
      _ = title.value
    } onChange: {
      told.add("told")
    }
    rows[0].value = "zero"
    XCTAssertEqual(told.events, ["told"])
    XCTAssertEqual(subscription.takeNow().element, "zero")
    selected.value = 1
    XCTAssertEqual(subscription.takeNow().element, "1")
    _ = names()
    rows[0].value = "not read any more"
    unrelated.value = 1
    XCTAssertNil(subscription.takeNow().element)
    XCTAssertEqual(title.value, "1")
    XCTAssertEqual(names(), [])
    rows[1].value = "one"
    XCTAssertEqual(subscription.takeNow().element, "one")
  }

  /// What was read is computed where it is read: as a part of what reads it.
  func test_C121c_derivedStateThatAClosureMakesAndReadsIsFollowed() {
    let (number, factor) = (CurrentValue(1), CurrentValue(2))
    let product = number.outlet.map { $0 * factor.outlet.map { $0 * 10 }.value }
    let subscription = product.subscribe()
    XCTAssertEqual(subscription.takeNow().element, 20)
    factor.value = 3
    XCTAssertEqual(subscription.takeNow().element, 30)
    number.value = 2
    XCTAssertEqual(subscription.takeNow().element, 60)
    factor.value = 4
    XCTAssertEqual(subscription.takeNow().element, 80)
  }

  /// A state is read in one branch only, and the branch is left because of another.
  func test_C121c_whatABranchReadIsNotComputedWhenTheBranchIsLeft() {
    let (isOn, list, index) = (CurrentValue(true), CurrentValue([1, 2]), CurrentValue(1))
    let element = StateOutlet.combine(list.outlet, index.outlet).map { [calls] list, index in
      calls.add("element")
      return list[index]
    }
    let text = isOn.outlet.map { $0 ? "\(element.value)" : "off" }
    XCTAssertEqual(text.value, "2")
    isOn.value = false
    list.value = []
    // That would trap in the closure of `element`.
    XCTAssertEqual(text.value, "off")
    XCTAssertEqual(names(), ["element"])
  }

  func test_C121c_whatIsReadUntrackedIsNotFollowed() {
    let (price, rate) = (CurrentValue(10), CurrentValue(2))
    let total = counted("total", price.outlet.map { price in untracked { price * rate.value } })
    let subscription = total.subscribe()
    XCTAssertEqual(subscription.takeNow().element, 20)
    rate.value = 3
    XCTAssertNil(subscription.takeNow().element)
    XCTAssertEqual(total.value, 20)
    price.value = 20
    XCTAssertEqual(subscription.takeNow().element, 60)
    XCTAssertEqual(rate.log.subscriberCount, 0)
    XCTAssertEqual(untracked { rate.value }, 3, "elsewhere, too")
  }

  func test_C121c_readingItselfEndsTheProgramWithASentence() async throws {
    try await assertTraps("itself", saying: "A derived state reads itself in its closure.") {
      let (state, itself) = (CurrentValue(1), CurrentValue<StateOutlet<Int>?>(nil))
      let derived = state.outlet.map { $0 + (untracked { itself.value }?.value ?? 0) }
      itself.value = derived
      _ = derived.value
    }
  }

  // MARK: flatMap

  func test_C121d_aChosenStateIsFollowed() {
    let rows = (0..<3).map { CurrentValue("\($0)") }
    let selected = CurrentValue(0)
    let title = selected.outlet.flatMap { [calls] index in
      calls.add("chosen")
      return rows[index].outlet.map { $0 + "!" }
    }
    let subscription = title.subscribe()
    XCTAssertEqual(subscription.takeNow().element, "0!")
    rows[0].value = "zero"
    XCTAssertEqual(title.value, "zero!")
    XCTAssertEqual(subscription.takeNow().element, "zero!")
    XCTAssertEqual(names(), ["chosen"])
    selected.value = 2
    rows[0].value = "gone"
    XCTAssertEqual(subscription.takeNow().element, "2!")
    XCTAssertNil(subscription.takeNow().element)
    rows[0].value = "still gone"
    XCTAssertNil(subscription.takeNow().element)
    XCTAssertEqual(rows.map(\.log.subscriberCount), [0, 0, 1])
    XCTAssertEqual(names(), ["chosen"])
  }

  func test_C121d_C56a_itEndsWhenTheStateAndTheChosenOneHaveEnded() async throws {
    let (selected, rows) = (CurrentValue(0), (0..<2).map { CurrentValue($0) })
    let chosen = selected.outlet.flatMap { rows[$0].outlet }
    let subscription = chosen.subscribe()
    XCTAssertEqual(subscription.takeNow().element, 0)
    selected.value = 1
    selected.finish()
    rows[0].finish()
    let next = await subscription.next()
    XCTAssertEqual(next, 1, "the state that was chosen before has ended, and does not count")
    rows[1].value = 10
    rows[1].finish()
    let (last, end) = await (subscription.next(), subscription.next())
    XCTAssertEqual(last, 10)
    XCTAssertNil(end)
  }

  // MARK: Arrays

  func test_C121a_oneOfAnArrayChanges() {
    let states = (0..<1_000).map { CurrentValue($0) }
    let all = StateOutlet.combine(
      states.enumerated().map { number, state in counted("\(number)", state.outlet) })
    XCTAssertEqual(all.value, Array(0..<1_000))
    let subscription = all.subscribe()
    XCTAssertEqual(subscription.takeNow().element?.count, 1_000)
    _ = names()
    states[500].value = -1
    states[7].value = -2
    let next = subscription.takeNow().element
    XCTAssertEqual(names(), ["500", "7"])
    XCTAssertEqual([next?[500], next?[7], next?[8]], [-1, -2, 8])
    XCTAssertNil(subscription.takeNow().element)
    XCTAssertEqual(StateOutlet<[Int]>.combine([StateOutlet<Int>]()).value, [])
  }

  // MARK: Sizes

  /// On a stack of 512 KiB.
  func test_C121b_tenThousandStepsNeedNoDeepStack() async throws {
    try await onThreads(1) { _ in
      let state = CurrentValue(0)
      var top: StateOutlet<Int>? = (0..<10_000).reduce(state.outlet) { top, _ in top.map { $0 + 1 }
      }
      XCTAssertEqual(top?.value, 10_000)
      var subscription = top?.subscribe()
      XCTAssertEqual(subscription?.takeNow().element, 10_000)
      state.value = 1
      XCTAssertEqual(subscription?.takeNow().element, 10_001)
      XCTAssertEqual(state.log.subscriberCount, 1)
      state.finish()
      subscription = nil
      top = nil
      XCTAssertEqual(state.log.graphNumber.load(ordering: .relaxed), 0, "nothing is left of it")
    }
  }

  func test_C118_aRootKnowsNothingOfWhatIsGone() {
    let state = CurrentValue(0)
    for number in 1...100 {
      state.value = number
      XCTAssertEqual(StateOutlet.combine(state.outlet, state.outlet.map { -$0 }).value.1, -number)
    }
    XCTAssertTrue(state.log.state.withLock { $0.isPlain })
  }

  // MARK: Following

  func test_C121f_aRootCountsADirectlyDerivedStateThatIsFollowed() {
    let state = CurrentValue(0)
    let counts = state.subscriberCounts
    let derived = state.outlet.map { $0 }
    let top = derived.map { $0 }
    XCTAssertEqual(top.value, 0)
    XCTAssertEqual(counts.value, 0, "it is read, and not followed")
    var followers = [top.subscribe(), top.subscribe(), derived.subscribe()]
    XCTAssertEqual(counts.value, 1)
    followers.append(state.outlet.map { $0 }.subscribe())
    XCTAssertEqual(counts.value, 2)
    followers.removeLast()
    followers.removeLast()
    XCTAssertEqual(counts.value, 1)
    followers = []
    XCTAssertEqual(counts.value, 0)
  }

  /// Counts are state: what is derived from them may be what counts.
  func test_C121f_C66b_countsMayBeDerivedFrom() async throws {
    let state = CurrentValue(0)
    let isHeard = state.subscriberCounts.map { $0 > 0 }.removeDuplicates()
    let heard = isHeard.subscribe()
    XCTAssertEqual(heard.takeNow().element, false)
    try await onThreads(4) { _ in
      for _ in 0..<200 { withExtendedLifetime(state.outlet.map { $0 }.subscribe()) {} }
    }
    let subscription = state.outlet.map { $0 }.subscribe()
    XCTAssertTrue(isHeard.value)
    XCTAssertEqual(heard.takeNow().element, true)
    withExtendedLifetime(subscription) {}
  }

  // MARK: Threads

  /// A closure that is stuck delays nobody else, and what it makes of values that were overtaken is not kept.
  func test_C121e_aSlowClosureDelaysNobody() async throws {
    let (number, other) = (CurrentValue(1), CurrentValue(10))
    let (entered, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isToWait = Once()
    let slow = StateOutlet.combine(number.outlet, other.outlet).map { number, other in
      if isToWait.isFirst() {
        entered.signal()
        mayGoOn.wait()
      }
      return "\(number) \(other)"
    }
    let quick = number.outlet.map { -$0 }
    let values = Record<String>()
    async let reader: Void = onThreads(1) { _ in values.add(slow.value) }
    try await onThreads(1) { _ in
      entered.wait()
      number.value = 2
      other.update { $0 = 20 }
      XCTAssertEqual(quick.value, -2)
      XCTAssertEqual(slow.value, "2 20", "it does not wait for the other reader")
      mayGoOn.signal()
    }
    try await reader
    XCTAssertEqual(values.events, ["1 10"])
    XCTAssertEqual(slow.value, "2 20")
  }

  /// The closure reads one state long before the other. Between the two, both are written in place.
  func test_C121e_C55_whatAClosureReadsIsOfOneMomentHoweverLongItTakes() async throws {
    let (one, two) = (CurrentValue([0]), CurrentValue([0]))
    let (start, entered, mayGoOn) = (
      CurrentValue(0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let isToWait = Once()
    let both = start.outlet.map { _ in
      let first = one.value[0]
      if isToWait.isFirst() {
        entered.signal()
        mayGoOn.wait()
      }
      return [first, two.value[0]]
    }
    let values = Record<[Int]>()
    // Both are known to the graph: what is replaced is saved for whoever still reads.
    let known = StateOutlet.combine(one.outlet, two.outlet)
    XCTAssertEqual(known.value.0, [0])
    async let reader: Void = onThreads(1) { _ in values.add(both.value) }
    try await onThreads(1) { _ in
      entered.wait()
      one.update { $0[0] = 1 }
      two.update { $0[0] = 1 }
      mayGoOn.signal()
    }
    try await reader
    XCTAssertEqual(values.events, [[0, 0]])
    XCTAssertEqual(both.value, [1, 1])
  }
}

private final class Once: Sendable {
  private let isOver = Atomic(false)

  func isFirst() -> Bool { !isOver.exchange(true, ordering: .relaxed) }
}
