import AsyncChannelsTesting
import Foundation
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// Derived state of many states, and with many steps.
final class WideStateTests: XCTestCase {
  private let calls = Record<Int>()

  /// Each is made of the one before and of one more state.
  private func fold(_ states: [CurrentValue<Int>]) -> StateOutlet<Int> {
    var sum = states[0].outlet
    for (number, state) in states.enumerated().dropFirst() {
      sum = StateOutlet.combine(sum, state.outlet).map { [calls] in
        calls.add(number)
        return $0 &+ $1
      }
    }
    return sum
  }

  /// The halves are made first.
  private func tree(_ states: ArraySlice<CurrentValue<Int>>) -> StateOutlet<Int> {
    guard states.count > 1 else { return states[states.startIndex].outlet }
    let middle = states.startIndex + states.count / 2
    return StateOutlet.combine(tree(states[..<middle]), tree(states[middle...])).map { [calls] in
      calls.add(0)
      return $0 &+ $1
    }
  }

  /// Of an array, what has changed is read anew and nothing else. A model of plain numbers tells what is right.
  func test_C140h_arraysOfWhatChangesNowAndThen() {
    for seed in 1...UInt64(Length.rounds(200)) {
      var random = SplitMix64(seed: seed)
      let states = (0..<Int.random(in: 1...30, using: &random)).map { CurrentValue($0) }
      // Some stand there several times, some are made of others, and some arrays have arrays in them.
      let parts = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        (Int.random(in: 0..<states.count, using: &random), Int.random(in: 0..<4, using: &random))
      }
      let array = StateOutlet.combine(
        parts.map { state, kind in
          let outlet = states[state].outlet
          switch kind {
          case 0: return outlet
          case 1: return outlet.map { $0 &* 3 }
          case 2: return StateOutlet.combine([outlet, outlet]).map { $0[0] &+ $0[1] }
          default: return outlet.flatMap { states[abs($0) % states.count].outlet }
          }
        })
      let follower = array.subscribe()
      for step in 0..<20 {
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          states[.random(in: 0..<states.count, using: &random)].value = step &* 7
        }
        let right = parts.map { state, kind in
          let value = states[state].value
          return switch kind {
          case 0: value
          case 1: value &* 3
          case 2: value &* 2
          default: states[abs(value) % states.count].value
          }
        }
        if .random(using: &random) { XCTAssertEqual(array.value, right) }
        if let followed = follower.takeNow().element { XCTAssertEqual(followed, right) }
        XCTAssertEqual(array.value, right, "seed \(seed), step \(step)")
      }
    }
  }

  /// Values that are equal may differ. What is computed later, for another reason, is made of the newest.
  func test_C55_C118_whatComesWithAnEqualValueIsMadeOfTheNewest() {
    struct User: Equatable, Sendable {
      let id: Int
      var score: Int
      static func == (one: User, other: User) -> Bool { one.id == other.id }
    }
    let (user, other) = (CurrentValue(User(id: 1, score: 1)), CurrentValue(0))
    let unique = user.outlet.removeDuplicates()
    let scores = StateOutlet.combine(unique, user.outlet.map(\.score)).map { [$0.score, $1] }
    let others = StateOutlet.combine(unique, other.outlet).map { [$0.score, $1] }
    let (scored, changed) = (scores.subscribe(), others.subscribe())
    XCTAssertEqual(scored.takeNow().element, [1, 1])
    XCTAssertEqual(changed.takeNow().element, [1, 0])
    user.value.score = 2
    XCTAssertEqual(scored.takeNow().element, [2, 2])
    XCTAssertNil(changed.takeNow().element, "nothing has changed but what is equal")
    other.value = 1
    XCTAssertEqual(changed.takeNow().element, [2, 1])
    XCTAssertEqual([scores.value, others.value], [[2, 2], [2, 1]])
  }

  /// What did not change in the end is not brought further.
  func test_C121a_whatIsMadeOfAnEqualValueIsNotComputed() {
    let states = (0..<100).map { CurrentValue($0) }
    let isEven = StateOutlet.combine(states[0].outlet, states[1].outlet)
      .map { ($0 + $1).isMultiple(of: 2) }.removeDuplicates()
    let text = isEven.map { [calls] in
      calls.add(0)
      return "\($0)"
    }
    let all = StateOutlet.combine(text, fold(Array(states[2...])))
    let subscription = all.subscribe()
    XCTAssertEqual(subscription.takeNow().element?.0, "false")
    _ = calls.take()
    states[0].value = 2
    XCTAssertNil(subscription.takeNow().element)
    XCTAssertEqual(calls.take(), [])
    states[0].value = 3
    XCTAssertEqual(subscription.takeNow().element?.0, "true")
    XCTAssertEqual(calls.take().count { $0 == 0 }, 1)
  }

  func test_C34_aFollowerOfSeveralStatesKeepsNoValueThatWasReplaced() {
    let census = Census()
    let (object, other) = (CurrentValue(Tracked(0, in: census)), CurrentValue(0))
    let subscription = StateOutlet.combine(object.outlet, other.outlet).map { $0.number + $1 }
      .subscribe()
    for number in 1...3 {
      object.value = Tracked(number, in: census)
      while subscription.takeNow().element != nil {}
      XCTAssertEqual(census.count, 1)
    }
  }

  /// Its value is needed to know of what it is made. So to subscribe is to read.
  func test_C115_aSubscriptionToDerivedStateWaitsForAnUpdateInPlace() async throws {
    let list = CurrentValue([0])
    let text = list.outlet.map { "\($0)" }
    let (isChanging, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    async let update: Void = onThreads(1) { _ in
      list.update { list in
        isChanging.signal()
        mayEnd.wait()
        list.append(1)
      }
    }
    let got = Record<String?>()
    try await onThreads(1) { _ in
      isChanging.wait()
      let both = StateOutlet.combine(text, text).map { $0 + $1 }
      // While this waits, or before: it may not end in either case.
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { mayEnd.signal() }
      got.add(both.subscribe().takeNow().element)
    }
    try await update
    XCTAssertEqual(got.events, ["[0, 1][0, 1]"])
  }

  /// The newer consumer goes on with values of its own, and misses nothing.
  func test_C56c_aNewerConsumerDoesNotWaitForAClosureOfTheOlder() async throws {
    let (number, other) = (CurrentValue(0), CurrentValue("a"))
    let (entered, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isToWait = CurrentValue(false)
    let parity = StateOutlet.combine(number.outlet, other.outlet).map { number, _ in
      if number == 2, isToWait.value {
        isToWait.value = false
        entered.signal()
        mayGoOn.wait()
      }
      return number / 2
    }.removeDuplicates()
    let subscription = StateOutlet.combine(parity, other.outlet).map { "\($0)\($1)" }.subscribe()
    XCTAssertEqual(subscription.takeNow().element, "0a")
    isToWait.value = true
    number.value = 2
    let late = Record<String>()
    async let older: Void = onThreads(1) { _ in
      if let element = subscription.takeNow().element { late.add(element) }
    }
    try await onThreads(1) { _ in
      entered.wait()
      number.value = 3
      other.value = "b"
      number.value = 4
      let newer = subscription.takeOver()
      var seen: [String] = []
      for _ in 0..<10 { seen += subscription.takeAll(as: newer) }
      XCTAssertEqual(seen, ["2b"], "it reads for itself")
      mayGoOn.signal()
    }
    try await older
    XCTAssertEqual(late.events, [], "the newer one has it")
    number.value = 6
    XCTAssertEqual(subscription.takeNow().element, "3b")
  }
}
