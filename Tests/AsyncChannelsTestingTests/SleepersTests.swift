import XCTest

@testable import AsyncChannelsTesting

/// C95: among n sleepers, to fall asleep, to wake and to be cancelled take O(log n) steps. They are counted.
final class SleepersTests: XCTestCase {
  func test_C95_theStepsOfManySleepersAreNotQuadratic() {
    let count = 1_024
    let orders: [(name: String, deadline: (Int) -> Int)] = [
      ("ascending", { $0 }), ("descending", { count - $0 }), ("equal", { _ in 1 }),
      ("mixed", { $0 * 7_919 % count }),
    ]
    for (name, deadline) in orders {
      for cancelsHalf in [false, true] {
        Counted.comparisons = 0
        var sleepers = Sleepers<Int, Counted>()
        for number in 0..<count {
          sleepers.insert(number, number, until: Counted(value: deadline(number)))
        }
        if cancelsHalf { for number in 0..<count / 2 { _ = sleepers.remove(2 * number) } }
        let all = (0..<count).filter { !cancelsHalf || $0 % 2 == 1 }
        let expected = all.sorted { (deadline($0), $0) < (deadline($1), $1) }
        var woken: [Int] = []
        while let next = sleepers.nextDeadline { woken += sleepers.popAll(until: next) }
        XCTAssertEqual(woken, expected, name)
        XCTAssertEqual(sleepers.count, 0)
        // 10 is the logarithm. A list in order would take half a million.
        XCTAssertLessThan(Counted.comparisons, 10 * 10 * count, "\(name) \(cancelsHalf)")
      }
    }
  }
}

private struct Counted: Comparable {
  nonisolated(unsafe) static var comparisons = 0
  let value: Int

  static func < (one: Counted, other: Counted) -> Bool {
    comparisons += 1
    return one.value < other.value
  }
}
