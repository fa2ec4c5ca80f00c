import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels
import SharedChannels
import XCTest

@testable import LiveMembers

/// The view models of `AsyncViewModels` in front of a manager with a log, of which they do not know.
@MainActor
final class StoredMemberManagerTests: XCTestCase {
  private let storage = MemoryLog.Storage()

  private func makeManager() -> StoredMemberManager {
    StoredMemberManager(log: MemoryLog(storage), batchSize: 16)
  }

  func test_viewModelsShowAndChangeWhatIsStored() async throws {
    let manager = makeManager()
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
    let manager = makeManager()
    let results = Probe(manager.members)
    try await withRunning(manager.run) {
      try await results.expect(.success([]))
      let outcome = await manager.carryOut(.add(name: " "), key: "k")
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
    let manager = makeManager()
    for number in 0..<100 { manager.addMember.send("m\(number)") }
    manager.finish()
    await manager.run()
    XCTAssertEqual(manager.roster.value.members.map(\.name), (0..<100).map { "m\($0)" })
    // Who listens from now on has the last list, too.
    try await Probe(manager.members).expect(.success(manager.roster.value.members))
    XCTAssertEqual(manager.addMember.send("late"), .finished("late"))
    let outcome = await manager.carryOut(.removeAll, key: "late")
    XCTAssertNil(outcome)
    let again = makeManager()
    let members = Probe(again.members)
    try await withRunning(again.run) {
      try await members.expect(.success(manager.roster.value.members))
    }
  }

  func test_aRefusedCommandIsAnsweredAndPublishesNothing() async throws {
    let manager = makeManager()
    let results = Probe(manager.members)
    try await withRunning(manager.run) {
      try await results.expect(.success([]))
      let unknown = await manager.carryOut(.remove(id: 7), key: "k")
      XCTAssertEqual(unknown, .unknownMember)
      let added = await manager.carryOut(.add(name: "Ann"), key: "k")
      XCTAssertEqual(added, .done)
      try await results.expect(.success([Member(id: 1, name: "Ann")]))
      try results.finish()
    }
    let outcomes = await manager.outcomes
    XCTAssertEqual(outcomes, [.done: 1, .unknownMember: 1])
  }

  func test_nobodyCanUseUpTheKeyThatRemovesAMemberToCome() async throws {
    let manager = makeManager()
    await withRunning(manager.run) {
      let early = await manager.carryOut(.remove(id: 1), key: "remove 1")
      XCTAssertEqual(early, .unknownMember)
      let added = await manager.carryOut(.add(name: "Ann"), key: "k")
      XCTAssertEqual(added, .done)
      let removed = await manager.carryOut(.remove(id: 1), key: "remove 1")
      XCTAssertEqual(removed, .done)
      XCTAssertEqual(manager.roster.value.members, [])
    }
  }

  func test_aServerThatIsBehindRemovesAMemberThatAnotherHasAdded() async throws {
    let (manager, other) = (makeManager(), makeManager())
    await withRunning(manager.run) {
      await withRunning(other.run) {
        for id in 1...100 {
          let added = await other.carryOut(.add(name: "Ann"), key: "add \(id)")
          XCTAssertEqual(added, .done)
          let removed = await manager.carryOut(.remove(id: id), key: "remove \(id)")
          XCTAssertEqual(removed, .done)
        }
      }
    }
  }

  func test_aCommandWhoseReplyIsForgottenIsNotCalledDone() async throws {
    let add = MemberCommand.add(name: "Ann")
    // What comes before a snapshot, a machine that starts from it has not seen.
    let earlier = SharedChannel(MemberList(), log: MemoryLog(storage), snapshotInterval: 1)
    await withRunning({ await earlier.run() }) {
      _ = await earlier.commands.ask(add.keyed("k"))
      while await earlier.counts.snapshots == 0 { await Task.yield() }
    }
    let manager = makeManager()
    await withRunning(manager.run) {
      let again = await manager.carryOut(add, key: "k")
      XCTAssertEqual(again, .repeated)
      XCTAssertEqual(manager.roster.value.members.count, 1)
    }
  }

  func test_aFullListRefusesAndNoIdIsGivenTwice() {
    var list = MemberList()
    for number in 1...1_000 {
      XCTAssertEqual(list.apply(.add(name: "m\(number)")), .done)
    }
    XCTAssertEqual(list.apply(.add(name: "late")), .listIsFull)
    XCTAssertEqual(list.apply(.remove(id: 1_000)), .done)
    XCTAssertEqual(list.apply(.add(name: "late")), .done)
    XCTAssertEqual(list.members.last, Member(id: 1_001, name: "late"))
    XCTAssertEqual(list.revision, 1_002)
  }

  func test_removingAllOfNoneIsNoChange() {
    var list = MemberList()
    XCTAssertEqual(list.apply(.removeAll), .done)
    XCTAssertEqual(list.revision, 0)
  }

  func test_aKeyIsThatOfWhatIsAsked() {
    let commands: [MemberCommand] = [
      .add(name: "Ann"), .add(name: "Bob"), .remove(id: 1), .removeAll,
    ]
    XCTAssertEqual(
      commands.map { $0.keyed("k").key },
      ["k add f999bd199ff42d18", "k add 16566419b10316b4", "k remove 1", "k remove all"])
    let longest = MemberCommand.remove(id: .min).keyed(String(repeating: "k", count: 64)).key
    XCTAssertLessThanOrEqual(longest.utf8.count, 255)
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
