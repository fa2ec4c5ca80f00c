import TestSupport
import XCTest

@testable import AsyncChannels

/// The programs of the "kairo" suite, with which libraries of signals are compared, as tests: what is right, and how often
/// closures run.
final class PropagationTests: XCTestCase {
  private let calls = Record<String>()

  /// Derived state whose closure is counted.
  private func counted<Value, Mapped>(
    _ name: String, _ state: StateOutlet<Value>, _ transform: @escaping @Sendable (Value) -> Mapped
  ) -> StateOutlet<Mapped> {
    // Of two states, so that readers and followers share its value.
    StateOutlet.combine(state, .constant(())).map { [calls] in
      calls.add(name)
      return transform($0.0)
    }
  }

  func test_C140a_aChangeThatGoesNowhereComputesNothingBehind() {
    let head = CurrentValue(0)
    let zero = counted("zero", head.outlet) { _ in 0 }.removeDuplicates()
    let last = counted("last", counted("busy", zero) { $0 + 1 }) { $0 + 2 }
    let follower = last.subscribe()
    XCTAssertEqual(follower.takeNow().element, 3)
    _ = calls.take()
    for number in 1...1_000 {
      head.value = number
      XCTAssertNil(follower.takeNow().element)
      XCTAssertEqual(last.value, 3)
    }
    XCTAssertEqual(calls.take(), Array(repeating: "zero", count: 1_000))
  }

  func test_C140a_manyThatAreMadeOfOneAreMadeOnceEach() {
    let head = CurrentValue(0)
    let followers = (0..<50).map { index in
      counted("next", counted("own", head.outlet) { $0 + index }) { $0 + 1 }.subscribe()
    }
    for number in 0..<50 {
      head.value = number
      _ = calls.take()
      XCTAssertEqual(
        followers.map { $0.takeNow().element }, (0..<50).map { number + $0 + 1 })
      XCTAssertEqual(calls.take().count, 100)
      XCTAssertTrue(followers.allSatisfy { $0.takeNow().element == nil })
    }
  }

  func test_C140a_aLongWayIsGoneOnce() {
    let head = CurrentValue(0)
    let last = (0..<50).reduce(head.outlet) { state, _ in counted("step", state) { $0 + 1 } }
    let follower = last.subscribe()
    for number in 0..<50 {
      head.value = number
      _ = calls.take()
      XCTAssertEqual([follower.takeNow().element, last.value], [number + 50, number + 50])
      XCTAssertEqual(calls.take().count, 50)
    }
  }

  func test_C118_aDiamondIsMadeOnce() {
    let head = CurrentValue(0)
    let ways = (0..<5).map { _ in counted("way", head.outlet) { $0 + 1 } }
    let sum = counted("sum", .combine(ways)) { $0.reduce(0, +) }
    let follower = sum.subscribe()
    for number in 0..<500 {
      head.value = number
      _ = calls.take()
      XCTAssertEqual(
        [follower.takeNow().element, sum.value], [(number + 1) * 5, (number + 1) * 5])
      XCTAssertEqual(calls.take().count, 6)
    }
  }

  func test_C118_aTriangleIsMadeOnce() {
    let head = CurrentValue(0)
    var steps = [head.outlet]
    for _ in 0..<9 { steps.append(counted("step", steps[steps.count - 1]) { $0 + 1 }) }
    let sum = counted("sum", .combine(steps)) { $0.reduce(0, +) }
    let follower = sum.subscribe()
    for number in 0..<100 {
      head.value = number
      _ = calls.take()
      XCTAssertEqual(follower.takeNow().element, 10 * number + 45)
      XCTAssertEqual(calls.take().count, 10)
    }
  }

  func test_C140a_whatManyChooseFromIsMadeOnce() {
    let heads = (0..<100).map { _ in CurrentValue(0) }
    let all = counted("all", .combine(heads.map(\.outlet))) {
      Dictionary(uniqueKeysWithValues: $0.enumerated().map { ($0.offset, $0.element) })
    }
    let parts = (0..<100).map { index in
      counted("part", all) { $0[index]! }.removeDuplicates().map { $0 + 1 }
    }
    let followers = parts.map { $0.subscribe() }
    XCTAssertEqual(followers.map { $0.takeNow().element }, Array(repeating: 1, count: 100))
    for (index, head) in heads.enumerated() {
      head.value = index + 7
      _ = calls.take()
      let told = followers.map { $0.takeNow().element }
      XCTAssertEqual(told.map { $0 == nil }, (0..<100).map { $0 != index })
      XCTAssertEqual([told[index], parts[index].value], [index + 8, index + 8])
      XCTAssertEqual(calls.take().filter { $0 == "all" }.count, 1)
    }
  }

  func test_C140a_whatIsReadManyTimesIsOneCause() {
    let (head, calls) = (CurrentValue(0), calls)
    let sum = StateOutlet(tracking: {
      calls.add("sum")
      return (0..<30).reduce(0) { sum, _ in sum + head.value }
    })
    let follower = sum.subscribe()
    for number in 0..<100 {
      head.value = number
      _ = calls.take()
      XCTAssertEqual([follower.takeNow().element, sum.value], [number * 30, number * 30])
      XCTAssertEqual(calls.take(), ["sum"])
    }
    XCTAssertEqual(head.subscriberCount, 1)
  }

  func test_C140b_whatIsReadByTurnsIsFollowedByTurns() {
    let (head, calls) = (CurrentValue(0), calls)
    let (double, inverse) = (
      counted("double", head.outlet) { $0 * 2 }, counted("inverse", head.outlet) { -$0 }
    )
    let sum = StateOutlet(tracking: {
      calls.add("sum")
      return (0..<20).reduce(0) { sum, _ in
        sum + (head.value.isMultiple(of: 2) ? inverse.value : double.value)
      }
    })
    let follower = sum.subscribe()
    for number in 0..<100 {
      head.value = number
      _ = calls.take()
      let expected = 20 * (number.isMultiple(of: 2) ? -number : number * 2)
      XCTAssertEqual([follower.takeNow().element, sum.value], [expected, expected])
      XCTAssertEqual(calls.take(), ["sum", number.isMultiple(of: 2) ? "inverse" : "double"])
    }
  }

  /// The numbers are those that the suite has for so many layers.
  func test_C140e_cellxIsRight() {
    let expected = [
      10: ([3, 6, 2, -2], [2, 4, -2, -3]), 20: ([2, 4, -1, -6], [-2, 1, -4, -4]),
      50: ([-2, -4, 1, 6], [2, -1, 4, 4]), 1_000: ([-3, -6, -2, 2], [-2, -4, 2, 3]),
    ]
    for (layers, (before, after)) in expected {
      let roots = (1...4).map { CurrentValue($0) }
      var cells = roots.map(\.outlet)
      for _ in 0..<layers {
        cells = [
          cells[1].map { $0 },
          StateOutlet.combine(cells[0], cells[2]).map { $0 - $1 },
          StateOutlet.combine(cells[1], cells[3]).map { $0 + $1 },
          cells[2].map { $0 },
        ]
      }
      let followers = cells.map { $0.subscribe() }
      XCTAssertEqual(followers.map { $0.takeNow().element }, before)
      XCTAssertEqual(cells.map(\.value), before)
      updateTogether(roots[0], roots[1]) { ($0, $1) = (4, 3) }
      updateTogether(roots[2], roots[3]) { ($0, $1) = (2, 1) }
      XCTAssertEqual(cells.map(\.value), after)
      XCTAssertEqual(followers.map { $0.takeNow().element }, after)
    }
  }

  /// A follower of each cell costs its own, however many are below.
  func test_C140d_aFollowerCostsTheSameInEachLayer() {
    let roots = (1...4).map { CurrentValue($0) }
    var (cells, calls) = (roots.map(\.outlet), [Int]())
    var followers: [AsyncChannels.Subscription<Int>] = []
    for _ in 0..<200 {
      cells = [0, 1, 2, 3].map { index in
        counted("cell", .combine(cells[(index + 1) % 4], cells[(index + 2) % 4])) { $0 &- $1 }
      }
      _ = self.calls.take()
      followers += cells.map { $0.subscribe() }
      calls.append(self.calls.take().count)
    }
    XCTAssertEqual(Set(calls), [4])
    for follower in followers { XCTAssertNotNil(follower.takeNow().element) }
    for root in roots { root.value += 9 }
    for follower in followers { XCTAssertNotNil(follower.takeNow().element) }
    XCTAssertEqual(self.calls.take().count, 800, "each cell is made once, whoever asks")
  }
}
