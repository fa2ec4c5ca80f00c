import AsyncChannels
import AsyncChannelsTesting
import Foundation
import SharedChannels
import XCTest

/// Commands that are taken out of a log.
final class DeletionTests: XCTestCase {
  private let log = ScriptedLog()

  private func another() -> ScriptedLog { ScriptedLog(log.storage) }

  func test_whatAPersonHasSentIsGoneAndAllMachinesGoOn() async throws {
    let away = SharedChannel(Guests(), log: another(), snapshotInterval: 3)
    try await running(away) {
      for name in ["Ann", "Bob", "Ann", "Cleo"] { _ = await away.add(name, key: "\(name) 1") }
      while await away.counts.snapshots == 0 { await Task.yield() }
    }
    let channels = (0..<2).map { _ in SharedChannel(Guests(), log: another()) }
    let log = log
    try await running(channels[0], channels[1]) {
      _ = await channels[0].add("Dora")
      let removed = await channels[1].commands.ask(Keyed(key: "without Ann", .remove("Ann")))
      XCTAssertEqual(removed?.reply, .done(count: 3))
      let count = try await channels[0].deleteCommands(where: \.value.isOfAnn)
      XCTAssertEqual(count, 2)
      for channel in channels {
        for await health in channel.health where health.restarts == 1 && health.isServing { break }
        XCTAssertEqual(channel.state.value.value.names, ["Bob", "Cleo", "Dora"])
      }
      let added = await channels[1].add("Eve")
      XCTAssertEqual(added?.reply, .done(count: 4))
      // Its key is gone, too.
      let again = await channels[1].add("Ann", key: "Ann 1")
      XCTAssertEqual(again?.reply, .done(count: 5))
      _ = await channels[1].commands.ask(Keyed(key: "again", .remove("Ann")))
      try await channels[1].deleteCommands(where: \.value.isOfAnn)
      try await requireNothing(of: "Ann", in: log)
    }
    let new = SharedChannel(Guests(), log: another())
    try await running(new, away) {
      for channel in [new, away] {
        for await health in channel.health where health.isServing { break }
        let state = try await channel.upToDateState()
        XCTAssertEqual(state?.value.names, ["Bob", "Cleo", "Dora", "Eve"])
      }
    }
  }

  func test_aSnapshotOfAnOlderVersionGoesWithThem() async throws {
    let old = SharedChannel(Guests(), log: log, snapshotInterval: 1)
    try await running(old) {
      _ = await old.add("Ann")
      while await old.counts.snapshots == 0 { await Task.yield() }
    }
    let new = SharedChannel(NewGuests(), log: another())
    let log = log
    try await running(new) {
      _ = await new.commands.ask(Keyed(key: "r", .remove("Ann")))
      let count = try await new.deleteCommands(where: \.value.isOfAnn)
      XCTAssertEqual(count, 2)
      try await requireNothing(of: "Ann", in: log)
    }
    let late = SharedChannel(Guests(), log: another())
    try await running(late) {
      for await health in late.health where health.role == .replaced(by: 2) { break }
    }
  }

  func test_aNewerSnapshotOfAnotherMachineIsTakenInstead() async throws {
    let (channel, other) = (
      SharedChannel(Guests(), log: log),
      SharedChannel(Guests(), log: another(), snapshotInterval: 1)
    )
    let log = log
    let isFirst = CurrentValue(true)
    log.beforeDeletion {
      guard isFirst.value else { return }
      isFirst.value = false
      let known = await other.counts.snapshots
      _ = await other.add("Ann")
      while await other.counts.snapshots == known { await Task.yield() }
    }
    try await running(channel, other) {
      _ = await channel.add("Bob")
      _ = await channel.add("Ann")
      _ = await channel.commands.ask(Keyed(key: "r", .remove("Ann")))
      let count = try await channel.deleteCommands(where: \.value.isOfAnn)
      // The new one is the last entry of that snapshot.
      XCTAssertEqual(count, 2)
      XCTAssertFalse(isFirst.value)
      for await health in channel.health where health.restarts == 1 && health.isServing { break }
      let state = try await channel.upToDateState()
      XCTAssertEqual(state?.value.names, ["Bob", "Ann"])
    }
  }

  func test_aCommandInProgressIsNotStoredASecondTime() async throws {
    let (flaky, log) = (another(), log)
    let (one, other) = (
      SharedChannel(Guests(), log: log), SharedChannel(Guests(), log: flaky)
    )
    try await running(one, other) {
      for await health in other.health where health.isServing { break }
      let cut = LogFailure.unreachable("cut")
      flaky.failAppends([.after(cut)] + (0..<4).map { _ in .before(cut) })
      let asked = Task { await other.add("Ann", key: "Ann") }
      for await revised in one.state where revised.value.names == ["Ann"] { break }
      _ = await one.commands.ask(Keyed(key: "r", .remove("Ann")))
      let count = try await one.deleteCommands(where: \.value.isOfAnn)
      XCTAssertEqual(count, 2)
      let unknown = await asked.value
      XCTAssertNil(unknown)
      for await health in one.health where health.restarts == 1 && health.isServing { break }
      let state = try await one.upToDateState()
      XCTAssertEqual(state?.value.names, [])
    }
  }

  func test_itEndsThoughAnotherMachineStoresASnapshotForEachCommand() async throws {
    let busy = SharedChannel(Guests(), log: another(), snapshotInterval: 1)
    let channel = SharedChannel(Guests(), log: log)
    try await running(busy, channel) {
      let asking = Task {
        var number = 0
        while !Task.isCancelled {
          number += 1
          _ = await busy.add("\(number)")
        }
      }
      for await revised in channel.state where revised.value.names.count > 20 { break }
      try await channel.deleteCommands(where: \.value.isOfAnn)
      asking.cancel()
    }
  }

  func test_aNewLogHasNothingToDelete() async throws {
    let channel = SharedChannel(Guests(), log: log)
    try await running(channel) {
      let count = try await channel.deleteCommands { _ in true }
      XCTAssertEqual(count, 0)
      for await health in channel.health where health.restarts == 1 && health.isServing { break }
      let added = await channel.add("Ann")
      XCTAssertEqual(added?.reply, .done(count: 1))
    }
  }

  func test_whoCannotDeleteSaysWhyAndDeletesNothing() async throws {
    let old = SharedChannel(Guests(), log: log)
    let waiting = SharedChannel(NewGuests(), log: another(), takesOver: false)
    let log = log
    try await running(old, waiting) {
      for name in ["Ann", "Bob"] { _ = await old.add(name) }
      for await revised in waiting.state where revised.position?.index == 2 { break }
      await assertRefused("version 2 has not taken over yet") {
        try await waiting.deleteCommands { _ in true }
      }
      try await waiting.takeOver()
      for await health in old.health where health.role == .replaced(by: 2) { break }
      await assertRefused("version 2 has taken over") {
        try await old.deleteCommands { _ in true }
      }
      var entries: [Logged<Data>] = []
      try await log.forEachEntry { entries.append($0) }
      XCTAssertEqual(entries.count, 3)
    }
    let unable = SharedChannel(Guests(), log: KeepingLog(log: MemoryLog()))
    try await running(unable) {
      _ = await unable.add("Ann")
      await assertRefused("this engine cannot delete entries") {
        try await unable.deleteCommands { _ in true }
      }
      let added = await unable.add("Bob")
      XCTAssertEqual(added?.reply, .done(count: 2))
    }
  }

  func test_aCommandThatCannotBeDecodedIsNamedAndNothingIsDeleted() async throws {
    let old = SharedChannel(Guests(), log: log, snapshotInterval: 2)
    try await running(old) {
      for name in ["Ann", "Bob"] { _ = await old.add(name) }
      while await old.counts.snapshots == 0 { await Task.yield() }
    }
    let new = SharedChannel(WithoutCommands(), log: another())
    try await running(new) {
      for await health in new.health where health.isServing { break }
      await assertRefused(startingWith: "at entry 1 of the log: the entry cannot be decoded") {
        try await new.deleteCommands { _ in true }
      }
    }
    let first = try await log.entries(after: nil)[0]
    XCTAssertEqual(first.position.index, 1)
  }

  func test_itEndsWithItsTask() async throws {
    let channel = SharedChannel(Guests(), log: log)
    let log = log
    try await within {
      // Nobody has read the log, so it waits.
      let deleting = Task { try await channel.deleteCommands { _ in true } }
      deleting.cancel()
      do {
        _ = try await deleting.value
        XCTFail("it has deleted without a state")
      } catch is CancellationError {}
      let end = try await log.end()
      XCTAssertEqual(end.index, 0)
    }
  }
}

/// Neither an entry nor a snapshot has the name, nor a key.
private func requireNothing(of name: String, in log: any SharedLog) async throws {
  let bytes = Data(name.utf8)
  try await log.forEachEntry {
    XCTAssertFalse($0.key.contains(name), "\($0.position.index)")
    XCTAssertNil($0.value.range(of: bytes), "\($0.position.index)")
  }
  for version in 1...2 {
    let snapshot = try await log.snapshot(upToVersion: version)
    XCTAssertNil(snapshot?.data.range(of: bytes), "version \(version)")
  }
}

private func assertRefused(
  _ reason: String = "", startingWith beginning: String = "", line: UInt = #line,
  _ body: () async throws -> Int
) async {
  do {
    let count = try await body()
    XCTFail("\(count) were deleted", line: line)
  } catch LogFailure.refused(let text) {
    if !reason.isEmpty { XCTAssertEqual(text, reason, line: line) }
    XCTAssertTrue(text.hasPrefix(beginning), text, line: line)
  } catch {
    XCTFail("\(error)", line: line)
  }
}

extension Guests.Command {
  fileprivate var isOfAnn: Bool {
    switch self {
    case .add(let name), .remove(let name): name == "Ann"
    }
  }
}

/// The next version of ``Guests``.
private struct NewGuests: SharedState {
  static var version: Int { 2 }
  private var guests = Guests()

  mutating func apply(_ command: Guests.Command) -> Guests.Reply { guests.apply(command) }
}

/// A version that reads states of ``Guests``, and none of its commands.
private struct WithoutCommands: SharedState {
  static var version: Int { 2 }
  private(set) var names: [String] = []

  mutating func apply(_ command: Int) -> Int { command }

  static func upcast(state: Data, from version: Int) throws -> WithoutCommands? {
    WithoutCommands(names: try JSONDecoder().decode(Guests.self, from: state).names)
  }
}
