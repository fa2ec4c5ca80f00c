import AsyncChannels
import TestSupport
import XCTest

/// Row: published property without Combine: many observers, O(1) to add and remove.
@MainActor
final class ManyObserversTests: XCTestCase {
  /// Or a twentieth.
  func test_aHundredThousandObserversAreAddedToldAndRemoved() async throws {
    let count = Length.rounds(100_000)
    let state = CurrentValue("one")
    let log = TellingLog()
    var tokens = observe(state, count, log)
    let all = Array(0..<count)
    try await log.expect(all, "one")
    state.value = "two"
    try await log.expect(all, "two")

    // Every other one goes, from the middle as well as from the ends.
    tokens = tokens.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    state.value = "three"
    try await log.expect(all.filter { !$0.isMultiple(of: 2) }, "three")

    tokens = []
    state.value = "four"
    let last = state.outlet.observe { log.told(-1, $0) }
    try await log.expect([-1], "four")
    last.cancel()
    withExtendedLifetime(tokens) {}
  }
}

@MainActor
private func observe(
  _ state: CurrentValue<String>, _ count: Int, _ log: TellingLog
) -> [CancellationToken] {
  (0..<count).map { number in state.outlet.observe { log.told(number, $0) } }
}

/// Who was told what.
@MainActor
private final class TellingLog {
  private var numbers: [Int] = []
  private var values: Set<String> = []
  private var isEnough = Gate()
  private var wanted = Int.max

  func told(_ number: Int, _ value: String) {
    numbers.append(number)
    values.insert(value)
    if numbers.count >= wanted { isEnough.open() }
  }

  /// These observers are told this, and no others. A quadratic algorithm would take hours, where
  /// this takes seconds.
  func expect(
    _ expected: [Int], _ value: String, line: UInt = #line
  ) async throws {
    wanted = expected.count
    if numbers.count >= wanted { isEnough.open() }
    let gate = isEnough
    try await within(.seconds(60), "telling \(wanted) observers") { await gate.pass() }
    XCTAssertEqual(values, [value], line: line)
    // Not `XCTAssertEqual`, which would print them all.
    XCTAssertTrue(numbers.sorted() == expected, "others were told", line: line)
    (numbers, values, isEnough, wanted) = ([], [], Gate(), .max)
  }
}
