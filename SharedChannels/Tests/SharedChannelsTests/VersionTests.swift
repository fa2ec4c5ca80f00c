import AsyncChannels
import AsyncChannelsTesting
import Foundation
import SharedChannels
import XCTest

/// Programs of two versions on one log, and entries that a program does not know.
final class VersionTests: XCTestCase {
  private let log = ScriptedLog()

  private func another() -> ScriptedLog { ScriptedLog(log.storage) }

  func test_theNewVersionFollowsUntilItTakesOverAndTheOldKeepsItsLastState() async throws {
    let old = SharedChannel(First(), log: log)
    let new = SharedChannel(Second(), log: another(), takesOver: false)
    let roles = Probe(old.health.map(\.role).removeDuplicates().outlet)
    try await running(old, new) {
      let first = await old.ask("Ann", key: "a")
      XCTAssertEqual(first?.reply, 1)
      for await revised in new.state where revised.position?.index == 1 { break }
      XCTAssertEqual(new.health.value.role, .waiting)
      XCTAssertFalse(new.health.value.isServing)
      XCTAssertTrue(old.health.value.isServing)
      let early = await new.ask("Bob", key: "b")
      XCTAssertEqual(early, .notStored("version 2 has not taken over yet"))

      try await new.takeOver()
      XCTAssertTrue(new.health.value.isServing)
      for await health in old.health where health.role == .replaced(by: 2) { break }
      XCTAssertFalse(old.health.value.isServing)
      let late = await old.ask("Bob", key: "b")
      XCTAssertEqual(late, .notStored("version 2 has taken over"))
      let second = await new.ask("Bob", key: "b")
      // It doubles what it counts, also of what the old version has stored.
      XCTAssertEqual(second?.reply, 4)
      XCTAssertEqual(old.state.value.value.count, 1)
      XCTAssertEqual(old.state.value.position?.index, 1)
      XCTAssertEqual(new.state.value.value.names, ["Ann of 1", "Bob of 2"])
      // It looks at the entry again and again, which changes nothing.
      try await Task.sleep(for: .milliseconds(400))
    }
    XCTAssertEqual(roles.values, [.current, .replaced(by: 2)])
  }

  func test_severalMayTakeOverAndOldOnesAnswerNothingThatStandsAfterIt() async throws {
    let old = (0..<3).map { _ in SharedChannel(First(), log: another()) }
    let new = (0..<3).map { _ in SharedChannel(Second(), log: another()) }
    let log = log
    try await running(old[0], old[1], old[2]) {
      let asking = (0..<3).map { machine in
        Task {
          var keys: [String] = []
          while true {
            let key = "\(machine) \(keys.count)"
            guard case .applied? = await old[machine].ask("x", key: key) else { return keys }
            keys.append(key)
          }
        }
      }
      for channel in old {
        for await revised in channel.state where (revised.position?.index ?? 0) >= 3 { break }
      }
      try await running(new[0], new[1], new[2]) {
        var answered: Set<String> = []
        for task in asking { answered.formUnion(await task.value) }
        for channel in new {
          for await health in channel.health where health.isServing { break }
        }
        var entries: [Logged<Data>] = []
        try await log.forEachEntry { entries.append($0) }
        let blank = try XCTUnwrap(entries.firstIndex { $0.isBlank })
        XCTAssertFalse(answered.isEmpty)
        XCTAssertTrue(
          answered.isSubset(of: entries[..<blank].map(\.key)),
          "an old version has answered what stands after the new one's beginning")
      }
    }
  }

  func test_whatAnOldMachineStoresAfterTheSwitchIsAnsweredByANewOne() async throws {
    let old = SharedChannel(First(), log: log)
    let new = SharedChannel(Second(), log: another())
    let log = log
    try await running(old) {
      _ = await old.ask("Ann", key: "a")
      log.isHeld = true
      let asked = Task { await old.ask("Bob", key: "b") }
      while log.entered < 2, !Task.isCancelled { await Task.yield() }
      try await running(new) {
        for await health in new.health where health.isServing { break }
        log.isHeld = false
        let unknown = await asked.value
        XCTAssertNil(unknown, "the old machine does not know what the new one makes of it")
        let again = await new.ask("Bob", key: "b")
        XCTAssertEqual(again?.reply, 4)
      }
    }
  }

  func test_aSnapshotKnowsThatItsVersionHasTakenOver() async throws {
    let old = SharedChannel(First(), log: log)
    try await running(old) { _ = await old.ask("Ann", key: "a") }
    let new = SharedChannel(Second(), log: another(), snapshotInterval: 4)
    try await running(new) {
      for key in ["b", "c"] { _ = await new.ask("x", key: key) }
      while await new.counts.snapshots == 0, !Task.isCancelled { await Task.yield() }
    }
    let end = try await log.end()
    let snapshot = try await log.snapshot(upToVersion: 2)
    XCTAssertEqual(snapshot?.position, end)
    let later = SharedChannel(Second(), log: another(), takesOver: false)
    try await running(later) {
      for await health in later.health where health.isServing { break }
      let outcome = await later.ask("x", key: "d")
      XCTAssertEqual(outcome?.reply, 8)
    }
  }

  func test_whatWasStoredBeforeEntriesHadAnOriginIsReadAndUpcast() async throws {
    _ = try await log.append([Keyed(key: "a", Data(#""Ann""#.utf8))])
    let new = SharedChannel(Second(), log: log, author: "here and now")
    let entries = new.entries.subscribe()
    try await running(new) {
      let outcome = await new.ask("Bob", key: "b")
      XCTAssertEqual(outcome?.reply, 4)
      XCTAssertEqual(new.state.value.value.names, ["Ann of 0", "Bob of 2"])
      let origin = await entries.next()?.origin
      XCTAssertEqual(origin?.author, "here and now")
      XCTAssertEqual(origin?.version, 2)
      XCTAssertLessThan(abs(origin?.time.timeIntervalSinceNow ?? .infinity), 60)
    }
  }

  func test_anEntryThatCannotBeDecodedStopsNobody() async throws {
    let channel = SharedChannel(First(), log: log)
    let log = log
    try await running(channel) {
      _ = await channel.ask("Ann", key: "a")
      let backup = log.storage.backUp()
      _ = try await log.append([Keyed(key: "k", Data("{}".utf8))])
      for await health in channel.health where health.readFailure != nil { break }
      let reason = try XCTUnwrap(channel.health.value.readFailure)
      XCTAssertTrue(reason.hasPrefix("at entry 2 of the log: the entry cannot be decoded"), reason)
      XCTAssertFalse(channel.health.value.isServing)
      XCTAssertEqual(channel.state.value.value.count, 1)
      let refused = await channel.ask("Bob", key: "b")
      XCTAssertEqual(refused, .notStored(reason))
      // So does a machine that starts.
      let later = SharedChannel(First(), log: ScriptedLog(log.storage))
      try await running(later) {
        for await health in later.health where health.isReady { break }
        XCTAssertEqual(later.state.value.value.count, 1)
        XCTAssertFalse(later.health.value.isServing)
        log.storage.restore(backup)
        for await health in later.health where health.isServing { break }
      }
      for await health in channel.health where health.isServing { break }
      let outcome = await channel.ask("Bob", key: "b")
      XCTAssertEqual(outcome?.reply, 2)
    }
  }

  func test_anObstacleThatIsMadeBlankIsPassed() async throws {
    let channel = SharedChannel(First(), log: log)
    let log = log
    try await running(channel) {
      _ = await channel.ask("Ann", key: "a")
      let bad = try await log.append([Keyed(key: "k", Data("{}".utf8))])[0].position
      for await health in channel.health where health.readFailure != nil { break }
      try await log.blank(bad)
      for await health in channel.health where health.isServing { break }
      let outcome = await channel.ask("Bob", key: "b")
      XCTAssertEqual(outcome?.reply, 2)
      XCTAssertEqual(channel.state.value.position?.index, 3)
    }
  }

  func test_entriesBeforeOneThatCannotBeDecodedAreApplied() async throws {
    let channel = SharedChannel(First(), log: log)
    _ = try await log.append([
      Keyed(key: "a", Data(#""Ann""#.utf8)), Keyed(key: "k", Data([1, 2, 3])),
      Keyed(key: "b", Data(#""Bob""#.utf8)),
    ])
    try await running(channel) {
      for await health in channel.health where health.readFailure != nil { break }
      XCTAssertEqual(channel.state.value.value.count, 1)
      XCTAssertEqual(channel.state.value.position?.index, 1)
    }
  }

  func test_aVersionThatCannotReadTheLogDoesNotTakeOver() async throws {
    let old = SharedChannel(First(), log: log)
    let (new, other) = (
      SharedChannel(Forgetful(), log: another()),
      SharedChannel(Forgetful(), log: another(), takesOver: false)
    )
    try await running(old) {
      _ = await old.ask("Ann", key: "a")
      try await running(new, other) {
        for await health in new.health where health.readFailure != nil { break }
        do {
          try await other.takeOver()
          XCTFail("it has taken over")
        } catch LogFailure.refused(let reason) {
          XCTAssertTrue(reason.hasPrefix("at entry 1 of the log"), reason)
        }
        try await Task.sleep(for: .milliseconds(400))
        let outcome = await old.ask("Bob", key: "b")
        XCTAssertEqual(outcome?.reply, 2)
        XCTAssertFalse(new.health.value.isServing)
      }
    }
  }

  func test_aTakeOverThatFailsLeavesTheOldVersionServingAndNobodyWaiting() async throws {
    let old = SharedChannel(First(), log: log)
    let full = another()
    let new = SharedChannel(Second(), log: full, takesOver: false)
    try await running(old, new) {
      _ = await old.ask("Ann", key: "a")
      for await revised in new.state where revised.position?.index == 1 { break }
      full.failAppends(.before(LogFailure.refused("disk full")))
      do {
        try await new.takeOver()
        XCTFail("it has taken over")
      } catch LogFailure.refused(let reason) {
        XCTAssertEqual(reason, "disk full")
      }
      let refused = await new.ask("Bob", key: "b")
      XCTAssertEqual(refused, .notStored("version 2 has not taken over yet"))
      let outcome = await old.ask("Bob", key: "b")
      XCTAssertEqual(outcome?.reply, 2)
      try await new.takeOver()
      let later = await new.ask("Cy", key: "c")
      XCTAssertEqual(later?.reply, 6)
    }
  }

  func test_aVersionWhoseReadsFailDoesNotTakeOver() async throws {
    let old = SharedChannel(First(), log: log)
    let blind = another()
    try await running(old) {
      for key in ["a", "b", "c"] { _ = await old.ask(key, key: key) }
      blind.hide(2)
      let new = SharedChannel(Second(), log: blind)
      try await running(new) {
        for await health in new.health where health.readFailure != nil { break }
        try await Task.sleep(for: .milliseconds(400))
        XCTAssertTrue(old.health.value.isServing)
        blind.hide(nil)
        for await health in new.health where health.isServing { break }
      }
    }
  }

  func test_aVersionThatHasBeenReplacedDoesNotTakeOver() async throws {
    let old = SharedChannel(First(), log: log)
    let new = SharedChannel(Second(), log: another(), takesOver: false)
    let newest = SharedChannel(Third(), log: another())
    try await running(old, new, newest) {
      for await health in newest.health where health.isServing { break }
      try await new.takeOver()
      XCTAssertEqual(new.health.value.role, .replaced(by: 3))
      let refused = await new.ask("Ann", key: "a")
      XCTAssertEqual(refused, .notStored("version 3 has taken over"))
      let outcome = await newest.commands.ask(Keyed(key: "a", "Ann"))
      XCTAssertEqual(outcome?.reply, 1)
      for await health in old.health where health.role == .replaced(by: 3) { break }
    }
  }

  func test_nobodyWaitsForAStateBehindAnObstacle() async throws {
    let old = SharedChannel(First(), log: log)
    let new = SharedChannel(Second(), log: another())
    let log = log
    try await running(old, new) {
      _ = await old.ask("Ann", key: "a")
      for await health in new.health where health.isServing { break }
      let state = try await old.upToDateState()
      XCTAssertNil(state, "its state cannot have what stands behind")
      _ = try await log.append([Keyed(key: "k", Data("{}".utf8))])
      let none = try await new.upToDateState()
      XCTAssertNil(none)
    }
  }

  func test_aMachineThatStartsOnALogOfANewerVersionNeverServes() async throws {
    let new = SharedChannel(Second(), log: log)
    try await running(new) { _ = await new.ask("Ann", key: "a") }
    let old = SharedChannel(First(), log: another())
    let (healths, states) = (Probe(old.health), Probe(old.state))
    try await running(old) {
      for await health in old.health where health.role == .replaced(by: 2) { break }
      try await Task.sleep(for: .milliseconds(400))
    }
    XCTAssertFalse(healths.values.contains { $0.isServing })
    XCTAssertEqual(states.values.map(\.position?.index), [nil, 0])
  }

  func test_aTakeOverThatCannotBeAppendedRefusesCommandsAndIsTriedAgain() async throws {
    let old = SharedChannel(First(), log: log)
    try await running(old) { _ = await old.ask("Ann", key: "a") }
    let full = another()
    full.failAppends((0..<3).map { _ in .before(LogFailure.refused("disk full")) })
    let new = SharedChannel(Second(), log: full)
    try await running(new) {
      let refused = await new.ask("Bob", key: "b")
      XCTAssertEqual(refused, .notStored("version 2 has not taken over yet: disk full"))
      XCTAssertNil(new.health.value.readFailure)
      for await health in new.health where health.isServing { break }
      let outcome = await new.ask("Bob", key: "b")
      XCTAssertEqual(outcome?.reply, 4)
    }
  }

  func test_aLogThatIsSetBackToBeforeATakeOverIsTakenOverAgain() async throws {
    let old = SharedChannel(First(), log: log)
    let (new, log) = (SharedChannel(Second(), log: another(), takesOver: false), log)
    try await running(old, new) {
      _ = await old.ask("Ann", key: "a")
      let backup = log.storage.backUp()
      try await new.takeOver()
      _ = await new.ask("Bob", key: "b")
      for await health in old.health where health.role == .replaced(by: 2) { break }
      log.storage.restore(backup)
      for await health in new.health where health.restarts == 1 && health.isServing { break }
      let outcome = await new.ask("Cy", key: "c")
      XCTAssertEqual(outcome?.reply, 4)
      for await health in old.health where health.role == .replaced(by: 2) { break }
      let refused = await old.ask("Di", key: "d")
      XCTAssertEqual(refused, .notStored("version 2 has taken over"))
    }
  }

  func test_withoutTheNewVersionTheOldOneServesALogThatIsSetBack() async throws {
    let old = SharedChannel(First(), log: log)
    let (new, log) = (SharedChannel(Second(), log: another()), log)
    try await running(old) {
      _ = await old.ask("Ann", key: "a")
      let backup = log.storage.backUp()
      try await running(new) {
        for await health in new.health where health.isServing { break }
      }
      for await health in old.health where health.role == .replaced(by: 2) { break }
      log.storage.restore(backup)
      for await health in old.health where health.isServing { break }
      let outcome = await old.ask("Bob", key: "b")
      XCTAssertEqual(outcome?.reply, 2)
    }
  }

  func test_aChannelBehindAnObstacleEnds() async throws {
    _ = try await log.append([Keyed(key: "k", Data("{}".utf8))])
    let channel = SharedChannel(First(), log: log)
    let waiting = Task { await channel.ask("Ann", key: "a") }
    while channel.waitingCommands < 1 { await Task.yield() }
    channel.finish()
    try await within { await channel.run() }
    guard case .notStored? = await waiting.value else { return XCTFail("it was not refused") }
  }
}

/// Counts names. Its commands are names.
private struct First: SharedState {
  private(set) var count = 0

  mutating func apply(_ name: String) -> Int {
    count += 1
    return count
  }
}

/// As the first.
private struct Third: SharedState {
  static var version: Int { 3 }
  private var count = 0

  mutating func apply(_ name: String) -> Int {
    count += 1
    return count
  }
}

/// Cannot read what older ones have stored.
private struct Forgetful: SharedState {
  struct NoSuchCommand: Error {}

  static var version: Int { 2 }
  private var count = 0

  mutating func apply(_ name: String) -> Int {
    count += 1
    return count
  }

  static func upcast(_ command: Data, from version: Int) throws -> Data { throw NoSuchCommand() }
}

/// Counts them twice. Its commands tell the version, too.
private struct Second: SharedState {
  struct Name: Codable, Sendable {
    let name: String
    var version = 2
  }

  static var version: Int { 2 }
  private(set) var names: [String] = []

  mutating func apply(_ command: Name) -> Int {
    names.append("\(command.name) of \(command.version)")
    return names.count * 2
  }

  static func upcast(_ command: Data, from version: Int) throws -> Data {
    // A slice of the entry would trap here.
    guard command[0] == UInt8(ascii: "\"") else { throw CocoaError(.coderReadCorrupt) }
    let name = try JSONDecoder().decode(String.self, from: command)
    return try JSONEncoder().encode(Name(name: name, version: version))
  }
}

extension SharedChannel<First> {
  fileprivate func ask(_ name: String, key: String) async -> Outcome? {
    await commands.ask(Keyed(key: key, name))
  }
}

extension SharedChannel<Second> {
  fileprivate func ask(_ name: String, key: String) async -> Outcome? {
    await commands.ask(Keyed(key: key, Second.Name(name: name)))
  }
}
