import AsyncChannelsTesting
import TestSupport
import XCTest

@testable import AsyncChannels

/// State that reaches derived state in several ways.
final class DiamondTests: XCTestCase {
  private static let depth = 40

  /// Each is made of the one before, twice: there are 2 to the power of 40 ways to the first.
  private func stack(
    on first: StateOutlet<Int>, _ calls: Record<Int>, withoutDuplicates: Bool = false
  ) -> StateOutlet<Int> {
    var top = first
    for level in 0..<Self.depth {
      let (one, other) = (top.map { $0 }, top.map { $0 &+ 1 })
      let next = StateOutlet.combine(one, other).map { one, other in
        calls.add(level)
        return one &+ other
      }
      top = withoutDuplicates ? next.removeDuplicates() : next
    }
    return top
  }

  private func expected(_ first: Int) -> Int {
    (0..<Self.depth).reduce(first) { value, _ in value &* 2 &+ 1 }
  }

  func test_C118_aReadingComputesEachCombinationOnce() {
    let (state, calls) = (CurrentValue(1), Record<Int>())
    let top = stack(on: state.outlet, calls)
    for number in 1...3 {
      state.value = number
      XCTAssertEqual(top.value, expected(number))
      XCTAssertLessThanOrEqual(calls.take().count, 2 * Self.depth)
    }
    let three = StateOutlet.combine(top, state.outlet, top)
    XCTAssert(three.value == (expected(3), 3, expected(3)))
    XCTAssertLessThanOrEqual(calls.take().count, 4 * Self.depth)
  }

  func test_C118_aPartThatOccursTwiceIsComputedOnceInAnyPosition() {
    let calls = Record<Int>()
    let state = CurrentValue(1)
    let shared = state.outlet.map {
      calls.add($0)
      return $0
    }
    let other = CurrentValue(100).outlet
    XCTAssert(StateOutlet.combine(shared, shared).value == (1, 1))
    XCTAssertEqual(calls.take().count, 1)
    for all in [
      StateOutlet.combine(shared, shared, other), .combine(shared, other, shared),
      .combine(other, shared, shared),
    ] {
      state.value += 1
      let shared = state.value
      XCTAssertEqual(
        [all.value.0, all.value.1, all.value.2].sorted(), [shared, shared, 100].sorted())
      XCTAssertEqual(calls.take().count, 1)
    }
    XCTAssert(StateOutlet.combine(other, shared, other, shared).value == (100, 4, 100, 4))
    XCTAssertEqual(calls.take().count, 0, "it was computed for the others")
  }

  /// Neither part has it twice.
  func test_C118_aPartThatOccursOnceInEachOfTwoIsComputedOnce() {
    let calls = Record<Int>()
    let shared = CurrentValue(1).outlet.map {
      calls.add($0)
      return $0
    }
    let (first, second) = (CurrentValue(2).outlet, CurrentValue(3).outlet)
    let (one, other) = (StateOutlet.combine(first, shared), StateOutlet.combine(second, shared))
    let both = StateOutlet.combine(one, other)
    XCTAssert(both.value.0 == (2, 1))
    XCTAssertEqual(calls.take().count, 1)
    XCTAssert(both.value.1 == (3, 1))
    XCTAssertEqual(calls.take().count, 0)
  }

  func test_C118_aChangeComputesEachCombinationOnceForAFollower() {
    for withoutDuplicates in [false, true] {
      let (state, other) = (CurrentValue(1), CurrentValue(1))
      let calls = Record<Int>()
      let top = StateOutlet.combine(
        stack(on: state.outlet, calls, withoutDuplicates: withoutDuplicates), other.outlet
      ).map { $0 &+ $1 }
      let subscription = top.subscribe()
      XCTAssertEqual(subscription.takeNow().element, expected(1) &+ 1)
      for number in 2...5 {
        _ = calls.take()
        state.value = number
        XCTAssertEqual(subscription.takeNow().element, expected(number) &+ number - 1)
        other.value = number
        XCTAssertEqual(subscription.takeNow().element, expected(number) &+ number)
        XCTAssertNil(subscription.takeNow().element)
        let most = withoutDuplicates ? 8 * Self.depth * Self.depth : 4 * Self.depth
        XCTAssertLessThanOrEqual(calls.count, most)
      }
    }
  }

  func test_C118_whatDidNotChangeIsPassedOverThoughItIsThereTwice() {
    let (state, calls) = (CurrentValue(1), Record<Int>())
    let isEven = state.outlet.map { $0.isMultiple(of: 2) }.removeDuplicates()
    let pair = StateOutlet.combine(isEven, isEven.map { !$0 })
    let twice = StateOutlet.combine(pair.map { $0.0 }, pair.map { $0.1 }).map { one, other in
      calls.add(one ? 1 : 0)
      return "\(one), \(other)"
    }
    let subscription = twice.subscribe()
    var got: [String] = []
    for number in [3, 4, 6, 8, 9, 11] {
      state.value = number
      while let text = subscription.takeNow().element { got.append(text) }
    }
    XCTAssertEqual(got, ["false, true", "true, false", "false, true"])
  }

  func test_C54_combineOfThreeIsReadAndFollowed() {
    let (one, two, three) = (CurrentValue(1), CurrentValue("a"), CurrentValue(true))
    let all = StateOutlet.combine(one.outlet, two.outlet, three.outlet).map { "\($0) \($1) \($2)" }
    let subscription = all.subscribe()
    three.value = false
    one.value = 2
    XCTAssertEqual(all.value, "2 a false")
    XCTAssertEqual(subscription.takeAll(as: subscription.takeOver()), ["2 a false"])
    let same = StateOutlet.combine(one.outlet, one.outlet.map { -$0 }, one.outlet)
    XCTAssert(same.value == (2, -2, 2))
  }
}
