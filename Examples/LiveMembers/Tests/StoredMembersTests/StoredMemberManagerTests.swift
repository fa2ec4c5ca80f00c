import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import Foundation
import XCTest

@testable import LiveMembers

/// The view models of `AsyncViewModels` in front of a manager with a database, of which they do not know.
@MainActor
final class StoredMemberManagerTests: XCTestCase {
  private let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path

  override func tearDown() async throws {
    for suffix in ["", "-wal", "-shm", "-lock"] {
      try? FileManager.default.removeItem(atPath: file + suffix)
    }
  }

  private let lost = StoreFailure(changedNothing: false, reason: "the connection is lost")

  private func makeManager() async throws -> StoredMemberManager {
    try await StoredMemberManager(
      store: try SQLiteStore(path: file), groupSize: 16)
  }

  func test_viewModelsShowAndChangeWhatIsStored() async throws {
    let manager = try await makeManager()
    let (list, form) = (MembersViewModel(manager: manager), NewMemberViewModel(manager: manager))
    let summary = MembersSummaryViewModel(manager: manager)
    let shown = Probe(list.members.removeDuplicates().outlet)
    try await withRunning(manager.run) {
      try await withRunning(list, form, summary) {
        try await shown.expect([])
        form.name = "Ann"
        form.add.send()
        try await shown.expect([Member(id: 1, name: "Ann")])
        form.name = "Bob"
        form.add.send()
        let both = [Member(id: 1, name: "Ann"), Member(id: 2, name: "Bob")]
        try await shown.expect(both)
        list.remove.send(both[0])
        try await shown.expect([both[1]])
        try await Probe(summary.memberCount.removeDuplicates().outlet.filter { $0 == 1 }).expect(1)
        list.reset.send()
        try await shown.expect([])
        try shown.finish()
      }
    }
  }

  func test_aRefusalOfWhatWasSentIsToldToAllAndOneOfWhatWasAskedToTheAskerAlone() async throws {
    let manager = try await makeManager()
    let results = Probe(manager.members)
    try await withRunning(manager.run) {
      try await results.expect(.success([]))
      let command = MemberCommand(action: .add(name: " "))
      let outcome = await manager.commands.ask(command)
      XCTAssertEqual(outcome, .invalidName)
      manager.addMember.send(" ")
      try await results.expect(.failure(.invalidName))
      try results.finish()
    }
    // Who subscribes later begins with the last good list.
    let later = Probe(manager.members)
    try await later.expect(.success([]))
  }

  func test_whatIsSentWhileNothingRunsWaitsAndFinishingWorksItOff() async throws {
    try await sendToOneThatFinishes()
    let again = try await makeManager()
    XCTAssertEqual(again.roster.value.members.count, 100)
  }

  /// A function of its own, since the manager has the file as long as it lives.
  private func sendToOneThatFinishes() async throws {
    let manager = try await makeManager()
    for number in 0..<100 { manager.addMember.send("m\(number)") }
    manager.finish()
    await manager.run()
    XCTAssertEqual(manager.roster.value.members.map(\.name), (0..<100).map { "m\($0)" })
    XCTAssertEqual(manager.addMember.send("late"), .finished("late"))
    let outcome = await manager.commands.ask(MemberCommand(action: .removeAll))
    XCTAssertNil(outcome)
  }

  func test_aCommandWhoseAskerHasGoneIsNotCarriedOut() async throws {
    let manager = try await makeManager()
    let ann = Task { await manager.commands.ask(MemberCommand(action: .add(name: "Ann"))) }
    while manager.waitingCommands == 0 { await Task.yield() }
    ann.cancel()
    _ = await ann.value
    manager.addMember.send("Bob")
    manager.finish()
    await manager.run()
    XCTAssertEqual(manager.roster.value.members.map(\.name), ["Bob"])
    let abandoned = await manager.counts.abandoned
    XCTAssertEqual(abandoned, 1)
  }

  func test_moreCommandsThanMayWaitAreRefused() async throws {
    let manager = try await makeManager()
    for number in 0..<1_024 { manager.addMember.send("m\(number)") }
    let outcome = await manager.commands.ask(MemberCommand(action: .removeAll))
    XCTAssertNil(outcome)
    manager.finish()
    await manager.run()
    XCTAssertEqual(manager.roster.value.members.count, 1_000)
  }

  func test_aDatabaseThatIsAwayIsNotReachableWhenTheAskersHaveLeft() async throws {
    let manager = try await StoredMemberManager(
      store: FailingStore(Array(repeating: lost, count: 1_000)), groupSize: 16)
    let reachable = Probe(manager.isReachable)
    try await reachable.expect(true)
    try await withRunning(manager.run) {
      let ann = Task { await manager.commands.ask(MemberCommand(action: .add(name: "Ann"))) }
      try await reachable.expect(false)
      ann.cancel()
      _ = await ann.value
      while await manager.counts.abandoned == 0 { try await Task.sleep(for: .milliseconds(5)) }
      try reachable.finish()
    }
    XCTAssertFalse(manager.isReachable.value)
  }

  func test_aCommandThatMayBeStoredIsNotCalledRefusedByALaterRefusal() async throws {
    let refused = StoreFailure(changedNothing: true, reason: "the table is locked")
    for (failures, expected) in [
      ([refused], MemberOutcome.notStored), ([lost, refused], nil), ([UnreadableAnswer()], nil),
    ] as [([any Error], MemberOutcome?)] {
      let manager = try await StoredMemberManager(
        store: FailingStore(failures), groupSize: 16, pollInterval: .seconds(3600))
      await withRunning(manager.run) {
        let outcome = await manager.commands.ask(MemberCommand(action: .add(name: "Ann")))
        XCTAssertEqual(outcome, expected, "\(failures)")
      }
    }
  }

  func test_aDatabaseThatHasStoredACommandIsReachable() async throws {
    let manager = try await StoredMemberManager(
      store: FailingStore([lost]), groupSize: 16, pollInterval: .seconds(3600))
    await withRunning(manager.run) {
      let outcome = await manager.commands.ask(MemberCommand(action: .add(name: "Ann")))
      XCTAssertEqual(outcome, .done)
    }
    XCTAssertTrue(manager.isReachable.value)
  }

  func test_aDatabaseThatAnswersAgainIsFoundWithoutACommand() async throws {
    let manager = try await StoredMemberManager(
      store: FailingStore(Array(repeating: lost, count: 1_000)), groupSize: 16,
      pollInterval: .milliseconds(200))
    let reachable = Probe(manager.isReachable)
    try await reachable.expect(true)
    try await withRunning(manager.run) {
      manager.addMember.send("Ann")
      try await reachable.expect(false)
      try await reachable.expect(true)
    }
  }

  func test_anOlderListIsNoNews() {
    let roster = Roster(list: "a-list", revision: 5, members: [])
    for (id, isNews) in [
      ("a-list-4", true), ("a-list-5", false), ("a-list-6", false), ("other-9", true), ("", true),
      ("a-list", true), ("a-list-", true), ("a-list-99999999999999999999", true),
    ] {
      XCTAssertEqual(roster.isNews(after: id), isNews, id)
    }
    XCTAssertTrue(roster.isNews(after: nil))
  }
}

/// A list that can be read, in a database in which the first commits fail.
private actor FailingStore: MemberStore {
  private var failures: [any Error]

  init(_ failures: [any Error]) {
    self.failures = failures
  }

  func commit(_ commands: [MemberCommand]) throws -> Committed {
    if !failures.isEmpty { throw failures.removeFirst() }
    return Committed(outcomes: commands.map { _ in .done }, roster: roster())
  }

  func roster() -> Roster { Roster(list: "list", revision: 0, members: []) }
  func rosterID() -> String { roster().id }
  func beginEpoch(after known: Roster) {}
  /// Nobody else changes it.
  func changesByOthers() -> AsyncThrowingStream<Void, any Error> { AsyncThrowingStream { _ in } }
}

private struct UnreadableAnswer: Error {}
