import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRunning

/// What `runEach` begins and cancels, and that it does so in one step.
final class RowChangesTests: XCTestCase {
  /// Random changes, with identities that come several times, against comparing everything anew.
  func test_C61_C104_whatIsComparedIsWhatDiffers() {
    var random = SplitMix64(seed: 100)
    for _ in 0..<Length.rounds(10_000) {
      var known: [Int] = []
      var rows = Rows<Int>()
      var (running, expected, ids) = (Set<Int>(), Set<Int>(), [Task<Void, Never>: Int]())
      for _ in 0..<6 {
        let value = (0..<Int.random(in: 0..<8, using: &random)).map { _ in
          Int.random(in: 0..<6, using: &random)
        }
        let changes = RowChanges(from: &known, to: value, by: { $0 })
        XCTAssertEqual(known, value)
        let cancelled = rows.apply(changes.gone, changes.come).compactMap { ids[$0] }
        XCTAssertEqual(Set(cancelled), expected.subtracting(value))
        running.subtract(cancelled)
        for (id, element) in changes.come {
          XCTAssertEqual(id, element)
          guard let run = rows.begin(id, { Task {} }) else { continue }
          ids[run] = id
          XCTAssertTrue(running.insert(id).inserted)
        }
        expected = Set(value)
        XCTAssertEqual(running, expected)
      }
    }
  }

  func test_C104_whatStaysAtTheBeginningAndTheEndIsOnlyCompared() {
    var known = Array(0..<1_000)
    let same = RowChanges(from: &known, to: Array(0..<1_000), by: { $0 })
    XCTAssertTrue(same.gone.isEmpty && same.come.isEmpty)
    let inserted = RowChanges(from: &known, to: [-1] + Array(0..<1_000), by: { $0 })
    XCTAssertEqual(inserted.come.map(\.id), [-1])
    XCTAssertEqual(inserted.gone, [])
    let removed = RowChanges(
      from: &known, to: [-1] + Array(0..<500) + Array(501..<1_000), by: { $0 })
    XCTAssertEqual(removed.gone, [500])
    XCTAssertTrue(removed.come.isEmpty)
  }

  @MainActor
  func test_C104_noRowIsBegunAfterTheCallersCancelHasReturned() async throws {
    for round in 0..<Length.rounds(5_000) {
      let state = CurrentValue<[Int]>([])
      var (isCancelled, late) = (false, 0)
      let run = Task {
        await state.outlet.runEach(by: { $0 }) { @MainActor _ in if isCancelled { late += 1 } }
      }
      await giveWay(3)
      state.value = [1, 2, 3]
      await giveWay(round % 5)
      run.cancel()
      isCancelled = true
      try await within { await run.value }
      XCTAssertEqual(late, 0, "round \(round)")
    }
  }

  /// 64 rows come in a turn of the main actor. The caller is cancelled behind the first turn.
  @MainActor
  func test_C62_C104_theRowsOfLaterTurnsDoNotBeginOnceTheCallerIsCancelled() async throws {
    let state = CurrentValue(Array(0..<200))
    var (compared, isCancelled, late) = (0, false, 0)
    let run = Task {
      let id = { (row: Int) in
        compared += 1
        return row
      }
      await state.outlet.runEach(by: id) { @MainActor _ in if isCancelled { late += 1 } }
    }
    let cancelling = Task {
      XCTAssertEqual(compared, 200, "the rows have not come")
      run.cancel()
      isCancelled = true
    }
    try await within { await run.value }
    await cancelling.value
    XCTAssertEqual(late, 0)
  }

  /// Each change compares what is there, and no more.
  @MainActor
  func test_C104_rowsThatAreAppendedOneByOneAreBegunEachOnceAndOthersHaveTheirTurn() async throws {
    let count = 1_000
    let state = CurrentValue<[Int]>([])
    let begun = Record<Int>()
    let run = Task {
      await state.outlet.runEach(by: { $0 }) { row in
        begun.add(row)
        for await _ in Outlet<Void>.never {}
      }
    }
    let turns = Record<Void>()
    let other = Task {
      while !Task.isCancelled {
        turns.add(())
        await Task.yield()
      }
    }
    await giveWay(3)
    for number in 0..<count { state.value.append(number) }
    try await until("all are begun") { begun.count == count }
    XCTAssertEqual(begun.events.sorted(), Array(0..<count))
    XCTAssertGreaterThan(turns.count, count / 64 / 4)
    try await other.cancelAndWait()
    try await run.cancelAndWait()
  }
}
