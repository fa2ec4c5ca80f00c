import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels
import TestSupport
import XCTest

/// Row: one source of truth shared by views. Row: the original's faults.
final class DefaultMemberManagerTests: XCTestCase {
  private let manager = DefaultMemberManager()

  /// The articles' own case.
  func test_addAddRemoveAddPublishesTheListsInBetween() async throws {
    let results = Probe(manager.members)
    try await withRunning(manager.run) {
      manager.addMember.send("Ann")
      manager.addMember.send("Bob")
      manager.removeMember.send(Member(id: 1, name: "Ann"))
      manager.addMember.send("Cy")
      let published = try await results.next(5).map { try $0.get().map(\.name) }
      XCTAssertEqual(published, [[], ["Ann"], ["Ann", "Bob"], ["Bob"], ["Bob", "Cy"]])
    }
  }

  /// The articles' own case.
  func test_anInvalidNameFailsAndAddsNothing() async throws {
    let results = Probe(manager.members)
    try await withRunning(manager.run) {
      for name in ["invalid name", "Invalid Name", "INVALID NAME", "", "  \t"] {
        manager.addMember.send(name)
      }
      manager.addMember.send("Ann")
      let published = try await results.next(7)
      let failures = [Result<[Member], MemberFailure>](repeating: .failure(.invalidName), count: 5)
      XCTAssertEqual(
        published, [.success([])] + failures + [.success([Member(id: 1, name: "Ann")])])
    }
  }

  func test_identifiersStartAtOneAndAreNeverUsedTwice() async throws {
    let results = Probe(manager.members)
    try await withRunning(manager.run) {
      manager.addMember.send("Ann")
      manager.addMember.send("Bob")
      manager.removeMember.send(Member(id: 2, name: "Bob"))
      manager.addMember.send("Cy")
      manager.resetMembers.send()
      manager.addMember.send("Di")
      let last = try await results.next(7).last
      XCTAssertEqual(last, .success([Member(id: 4, name: "Di")]))
    }
  }

  /// A fault of the original: `resetMembers()` published an empty list and kept the members.
  func test_resettingReallyEmpties() async throws {
    let results = Probe(manager.members)
    try await withRunning(manager.run) {
      manager.addMember.send("Ann")
      manager.resetMembers.send()
      manager.addMember.send("Bob")
      let published = try await results.next(4).map { try $0.get().map(\.name) }
      XCTAssertEqual(published, [[], ["Ann"], [], ["Bob"]])
    }
  }

  /// A fault of the original: a view that was made after a failure saw no list.
  func test_whoSubscribesAfterAFailureBeginsWithTheLastGoodList() async throws {
    let early = Probe(manager.members)
    try await withRunning(manager.run) {
      manager.addMember.send("Ann")
      manager.addMember.send("invalid name")
      let seenEarly = try await early.next(3)
      XCTAssertEqual(seenEarly.last, .failure(.invalidName))
      let late = Probe(manager.members)
      let first = try await late.next()
      XCTAssertEqual(first, .success([Member(id: 1, name: "Ann")]))
      manager.addMember.send("Bob")
      let second = try await late.next()
      XCTAssertEqual(second, .success(.annAndBob), "the failure came from nowhere in between")
    }
  }

  /// A fault of the original: `shared` was made without a lock.
  func test_sharedIsOneManagerForAllWhoAskAtOnce() async throws {
    let managers = await withTaskGroup(of: ObjectIdentifier.self) { group in
      for _ in 0..<64 { group.addTask { ObjectIdentifier(DefaultMemberManager.shared) } }
      return await group.reduce(into: Set()) { $0.insert($1) }
    }
    XCTAssertEqual(managers.count, 1)
  }

  func test_removingAnUnknownMemberChangesAndPublishesNothing() async throws {
    let results = Probe(manager.members)
    try await withRunning(manager.run) {
      manager.addMember.send("Ann")
      manager.removeMember.send(Member(id: 7, name: "Ann"))
      manager.resetMembers.send()
      let published = try await results.next(3).map { try $0.get().count }
      XCTAssertEqual(published, [0, 1, 0])
    }
  }

  func test_everyAddEveryResetAndEveryKnownRemovalPublishesExactlyOnce() async throws {
    let results = manager.members.subscribe()
    try await withRunning(manager.run) {
      for number in 1...100 {
        manager.addMember.send("member \(number)")
        if number.isMultiple(of: 2) { manager.removeMember.send(Member(id: number, name: "")) }
        if number.isMultiple(of: 10) { manager.resetMembers.send() }
      }
      manager.addMember.send("invalid name")
      let count = try await within {
        var count = 0
        for await result in results {
          count += 1
          if result == .failure(.invalidName) { break }
        }
        return count
      }
      XCTAssertEqual(count, 1 + 100 + 50 + 10 + 1)
    }
  }

  func test_commandsAreCarriedOutInTheOrderSentByWhicheverInlet() async throws {
    let results = Probe(manager.members)
    try await withRunning(manager.run) {
      for round in 0..<200 {
        manager.addMember.send("a")
        manager.removeMember.send(Member(id: 2 * round + 1, name: "a"))
        manager.addMember.send("b")
        manager.resetMembers.send()
      }
      let published = try await results.next(801).map { try $0.get().map(\.name) }
      XCTAssertEqual(published, [[]] + (0..<200).flatMap { _ in [["a"], [], ["b"], []] })
    }
  }

  func test_whatIsSentBeforeItRunsIsCarriedOutWhenItDoes() async throws {
    manager.addMember.send("Ann")
    manager.addMember.send("Bob")
    let results = Probe(manager.members)
    let manager = manager
    try await withRunning(manager.run) {
      let published = try await results.next(3)
      XCTAssertEqual(published.last, .success(.annAndBob))
    }
  }

  func test_aCancelledRunCanBeRunAgainAndLosesNothingInBetween() async throws {
    let results = Probe(manager.members)
    let names = (0..<300).map { "member \($0)" }
    for (index, name) in names.enumerated() {
      // Cancelled at once, or after a while, or while it waits for the next.
      let run = Task { [manager] in await manager.run() }
      manager.addMember.send(name)
      for _ in 0..<(index % 7) { await Task.yield() }
      run.cancel()
      if index.isMultiple(of: 2) { await run.value }
    }
    let published = try await within { [manager] in
      try await withRunning(manager.run) { try await results.next(names.count + 1) }
    }
    XCTAssertEqual(try published.last?.get().map(\.name), names)
  }
}
