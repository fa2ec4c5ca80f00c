import Foundation
import SharedChannels
import XCTest

/// Histories that are linearizable, and histories that are wrong in each way. Times are seconds.
final class ClientHistoryTests: XCTestCase {
  private let start = ContinuousClock.now
  private var history = ClientHistory()

  func test_ofConcurrentCommandsEitherMayBeFirst() throws {
    asked("a", 0...4, .applied(2, at: position(2)))
    asked("b", 1...3, .applied(1, at: position(1)))
    try check("b", "a")
  }

  func test_aCommandIsAfterTheOneThatWasAnsweredBefore() {
    asked("a", 0...1, .applied(2, at: position(2)))
    asked("b", 2...3, .applied(1, at: position(1)))
    require(.outOfOrder("b", after: "a"), "b", "a")
  }

  func test_anAnswerLongAgoCountsAsMuchAsTheLast() {
    asked("a", 0...1, .applied(3, at: position(3)))
    asked("b", 0...2, .applied(1, at: position(1)))
    asked("c", 5...6, .applied(2, at: position(2)))
    require(.outOfOrder("c", after: "a"), "b", "c", "a")
  }

  func test_aCommandWithoutAnAnswerMayBeStoredAnyTimeLater() throws {
    asked("lost", 0...1, nil)
    asked("a", 2...3, .applied(1, at: position(1)))
    read(4...5, "a")
    try check("a")
    try check("a", "lost")
  }

  func test_aCommandWithoutAnAnswerIsNotStoredBeforeItIsAsked() {
    asked("a", 0...1, .applied(2, at: position(2)))
    asked("lost", 2...3, nil)
    require(.outOfOrder("lost", after: "a"), "lost", "a")
  }

  func test_triesWithOneKeyAreOneCommand() throws {
    asked("a", 0...1, nil)
    asked("b", 2...3, .applied(2, at: position(2)))
    asked("a", 4...5, .applied(1, at: position(1)))
    asked("a", 6...7, .repeated(at: position(1)))
    try check("a", "b")
  }

  func test_theFirstAnswerOfATryIsTheLatestTimeOfTheCommand() {
    asked("a", 0...1, .repeated(at: position(2)))
    asked("b", 2...3, .applied(1, at: position(1)))
    asked("a", 4...5, .applied(2, at: position(2)))
    require(.outOfOrder("b", after: "a"), "b", "a")
  }

  func test_aTryThatWasRefusedHasNoEffect() {
    asked("a", 0...1, .notStored("full"))
    asked("b", 2...3, .applied(2, at: position(2)))
    asked("a", 4...5, .applied(1, at: position(1)))
    require(.outOfOrder("a", after: "b"), "a", "b")
  }

  func test_whatWasRefusedIsNotStoredUnlessAnotherTryMayHaveStoredIt() throws {
    asked("a", 0...1, .notStored("full"))
    try check()
    require(.refusedAndStored("a"), "a")
    asked("a", 2...3, nil)
    try check("a")
  }

  func test_whatWasAnsweredIsStoredOnceAtItsPlaceWithItsReply() {
    asked("a", 0...1, .applied(1, at: position(1)))
    asked("b", 2...3, .applied(2, at: position(2)))
    require(.answeredAndLost("b"), "a")
    require(.storedTwice("a"), "a", "b", "a")
    require(.neverAsked("c"), "a", "b", "c")
    require(.otherPlace("a", told: 1, stored: 2), "b", "a")
    asked("c", 4...5, .applied(2, at: position(3)))
    require(.otherReply("c", told: 2, expected: 3), "a", "b", "c")
  }

  func test_twoCommandsDoNotHaveOnePlace() {
    asked("a", 0...1, .applied(1, at: position(1)))
    asked("b", 0...1, .applied(1, at: position(1)))
    require(.otherPlace("b", told: 1, stored: 2), "a", "b")
  }

  func test_thereIsOneEpoch() {
    asked("a", 0...1, .applied(1, at: position(1)))
    let other = Position(epoch: "other", index: 2, mark: 2)
    asked("b", 2...3, .repeated(at: other))
    require(.otherEpoch(other), "a", "b")
  }

  func test_aReadSeesWhatWasAnsweredBefore() throws {
    read(0...1)
    asked("a", 2...3, .applied(1, at: position(1)))
    read(4...5, "a")
    read(6...7, "a")
    try check("a")
    read(8...9)
    require(.outOfOrder("a read of 0", after: "a read of 1"), "a")
  }

  func test_aReadThatDoesNotSeeAnAnsweredCommandIsFound() {
    asked("a", 0...1, .applied(1, at: position(1)))
    asked("b", 2...3, .applied(2, at: position(2)))
    read(4...5, "a")
    require(.outOfOrder("a read of 1", after: "b"), "a", "b")
  }

  func test_aReadMaySeeACommandThatIsInProgressAndThenTheNextReadDoes() throws {
    asked("a", 0...9, .applied(1, at: position(1)))
    read(1...2)
    read(3...4, "a")
    try check("a")
    read(5...6)
    require(.outOfOrder("a read of 0", after: "a read of 1"), "a")
  }

  func test_aReadDoesNotSeeWhatIsAskedLater() {
    read(0...1, "a")
    asked("a", 2...3, .applied(1, at: position(1)))
    require(.outOfOrder("a", after: "a read of 1"), "a")
  }

  func test_aReadSeesTheFirstEntriesOfTheLog() {
    asked("a", 0...9, nil)
    asked("b", 0...9, nil)
    read(0...9, "b")
    require(.otherState(index: 1), "a", "b")
    require(.otherState(index: 1))
  }

  func test_oneWrongPairAmongManyIsFoundSoon() throws {
    let keys = (1...50_000).map(String.init)
    for (place, key) in keys.enumerated() {
      asked(key, place...place + 3, .applied(place + 1, at: position(place + 1)))
    }
    let begin = ContinuousClock.now
    try history.check(against: keys)
    read(90_000...90_001, "1")
    XCTAssertThrowsError(try history.check(against: keys)) {
      XCTAssertEqual(
        $0 as? ClientHistory.Violation, .outOfOrder("a read of 1", after: "50000"))
    }
    XCTAssertLessThan(ContinuousClock.now - begin, .seconds(20))
  }

  func test_clientsOfALogThatLosesAnswersAndRefusesSeeOneOrder() async throws {
    let storage = MemoryLog.Storage()
    try await requireNothingIsLost(rounds: 1) { UnreliableLog(storage) }
  }

  func test_aLogThatRefusesWhatItStoresIsFoundByItsClients() async throws {
    let storage = MemoryLog.Storage()
    do {
      try await requireNothingIsLost(rounds: 1) {
        UnreliableLog(storage, refusesWhatItStores: true)
      }
      XCTFail("not found")
    } catch is ClientHistory.Violation {}
  }

  private func position(_ index: Int) -> Position {
    Position(epoch: "epoch", index: Int64(index), mark: Int64(index))
  }

  private func asked(_ key: String, _ time: ClosedRange<Int>, _ outcome: CommandOutcome<Int>?) {
    history.note(
      outcome, for: key, from: start + .seconds(time.lowerBound),
      to: start + .seconds(time.upperBound))
  }

  private func read(_ time: ClosedRange<Int>, _ keys: String...) {
    var tally = Tally()
    for key in keys { _ = tally.apply(key) }
    history.note(
      read: Revised(position: keys.isEmpty ? nil : position(keys.count), value: tally),
      from: start + .seconds(time.lowerBound), to: start + .seconds(time.upperBound))
  }

  private func check(_ log: String...) throws {
    try history.check(against: log)
  }

  private func require(
    _ violation: ClientHistory.Violation, _ log: String..., line: UInt = #line
  ) {
    XCTAssertThrowsError(try history.check(against: log), line: line) {
      XCTAssertEqual($0 as? ClientHistory.Violation, violation, line: line)
    }
  }
}
