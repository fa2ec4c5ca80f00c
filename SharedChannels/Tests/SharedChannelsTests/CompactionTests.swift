import AsyncChannels
import AsyncChannelsTesting
import Foundation
import SharedChannels
import XCTest

/// Logs whose old entries are deleted.
final class CompactionTests: XCTestCase {
  private let log = ScriptedLog()

  private func another() -> ScriptedLog { ScriptedLog(log.storage) }

  func test_theEntriesBehindASnapshotAreDeletedWithTheirKeysAndAllMachinesGoOn() async throws {
    let channels = (0..<3).map { _ in
      SharedChannel(Old(), log: another(), snapshotInterval: 10, history: 20)
    }
    let log = log
    try await running(channels[0], channels[1], channels[2]) {
      for number in 1...200 { _ = await channels[number % 3].ask(key: "\(number)") }
      try await requireFirst(180, in: log)
      let again = await channels[0].ask(key: "190")
      XCTAssertEqual(again?.reply, 190)
      let forgotten = await channels[0].ask(key: "100")
      XCTAssertEqual(forgotten?.reply, 201)
      for channel in channels {
        for await revised in channel.state where revised.position?.index == 201 { break }
        XCTAssertEqual(channel.state.value.value.count, 201)
        XCTAssertTrue(channel.health.value.isServing)
      }
      var deleted = 0
      while deleted < 179 {
        deleted = 0
        for channel in channels { deleted += await channel.counts.deleted }
        await Task.yield()
      }
      XCTAssertEqual(deleted, 179)
    }
    let later = SharedChannel(Old(), log: log)
    try await running(later) {
      let outcome = await later.ask(key: "later")
      XCTAssertEqual(outcome?.reply, 202)
    }
  }

  func test_aMachineThatWasAwayForLongerBeginsAnewFromTheSnapshot() async throws {
    let away = SharedChannel(Old(), log: log)
    try await running(away) { for number in 1...5 { _ = await away.ask(key: "\(number)") } }
    let states = Probe(away.state.outlet)
    let health = Probe(away.health.outlet)
    try await fill(100, from: 6)
    try await running(away) {
      for await revised in away.state where revised.position?.index == 100 { break }
      for await health in away.health where health.isServing { break }
      XCTAssertEqual(away.health.value.restarts, 1)
      let outcome = await away.ask(key: "again")
      XCTAssertEqual(outcome?.reply, 101)
    }
    XCTAssertEqual(states.values.map(\.value.count), [5, 100, 101])
    XCTAssertEqual(
      Set(health.values.compactMap(\.readFailure)), ["entries that were not read were deleted"])
  }

  func test_aNewVersionStartsFromTheStateOfAnOlderOneAndStoresItsOwn() async throws {
    try await fill(100)
    let new = SharedChannel(New(), log: another(), takesOver: false)
    try await running(new) {
      for await revised in new.state where revised.position?.index == 100 { break }
      XCTAssertEqual(new.state.value.value.sum, 200)
      while await new.counts.snapshots == 0 { await Task.yield() }
      try await new.takeOver()
      let outcome = await new.commands.ask(Keyed(key: "k", ""))
      XCTAssertEqual(outcome?.reply, 202)
    }
    let snapshot = try await log.snapshot(upToVersion: 2)
    XCTAssertEqual(snapshot?.version, 2)
  }

  func test_aVersionThatTakesOverStoresASnapshot() async throws {
    try await fill(100, history: nil)
    let (new, log) = (
      SharedChannel(Unable(), log: another(), takesOver: false), log
    )
    try await running(new) {
      for await health in new.health where health.role == .waiting && health.isReady { break }
      let before = try await log.snapshot(upToVersion: 3)
      XCTAssertEqual(before?.version, 1)
      try await new.takeOver()
      while try await log.snapshot(upToVersion: 3)?.version != 3 { await Task.yield() }
      let snapshot = try await log.snapshot(upToVersion: 3)
      XCTAssertEqual(snapshot?.position.index, 101)
    }
  }

  func test_anOldMachineThatComesAfterTheLogWasCompactedIsReplaced() async throws {
    let away = SharedChannel(Old(), log: log)
    try await running(away) { for number in 1...5 { _ = await away.ask(key: "\(number)") } }
    try await fill(100, from: 6)
    let new = SharedChannel(New(), log: another(), snapshotInterval: 10, history: 10)
    let log = log
    try await running(new) {
      for number in 1...99 { _ = await new.commands.ask(Keyed(key: "new \(number)", "")) }
      try await requireFirst(190, in: log)
    }
    let old = SharedChannel(Old(), log: another())
    try await running(old, away) {
      for (channel, hasAState) in [(old, false), (away, true)] {
        for await health in channel.health where health.role == .replaced(by: 2) { break }
        XCTAssertEqual(channel.health.value.isReady, hasAState)
        let refused = await channel.ask(key: "k")
        XCTAssertEqual(refused, .notStored("version 2 has taken over"))
      }
      XCTAssertEqual(away.state.value.value.count, 5)
    }
  }

  func test_whatIsStoredInALogThatHasNoBeginningGetsNoAnswer() async throws {
    let compacted = ScriptedLog()
    let new = SharedChannel(New(), log: compacted, snapshotInterval: 10, history: 10)
    try await running(new) {
      for number in 1...39 { _ = await new.commands.ask(Keyed(key: "\(number)", "")) }
      // The take-over is the first entry.
      try await requireFirst(30, in: compacted)
    }
    let old = SharedChannel(Old(), log: log)
    let run = Task { await old.run() }
    let log = log
    try await within {
      _ = await old.ask(key: "a")
      log.isHeld = true
      let asked = Task { await old.ask(key: "b") }
      while log.entered < 2 { await Task.yield() }
      log.storage.restore(compacted.storage.backUp())
      for await health in old.health where health.role == .replaced(by: 2) { break }
      log.isHeld = false
      let unknown = await asked.value
      XCTAssertNil(unknown)
      old.finish()
      await run.value
    }
  }

  func test_aBatchThatMayBeStoredIsNotTriedWhenItsKeysMayBeGone() async throws {
    let away = SharedChannel(Old(), log: log, snapshotInterval: 10, history: 20)
    let other = SharedChannel(Old(), log: another(), snapshotInterval: 10, history: 20)
    let log = log
    try await running(away, other) {
      for await health in away.health where health.isServing { break }
      log.failAppends(
        [.after(LogFailure.unreachable("cut"))]
          + (0..<5).map { _ in .before(LogFailure.unreachable("cut")) })
      away.inlet.send("")
      for await revised in other.state where revised.position?.index == 1 { break }
      for number in 1...60 { _ = await other.ask(key: "\(number)") }
      while log.appends.count < 6 { await Task.yield() }
      // It finds out that it can append, with a blank entry.
      for await health in away.health where health.appendFailure == nil { break }
      let last = await away.ask(key: "last")
      XCTAssertEqual(last?.reply, 62)
    }
  }

  func test_aMachineOnAnEmptyLogThatMissesItsBeginningBeginsAnew() async throws {
    let early = SharedChannel(Old(), log: log)
    try await running(early) { for await health in early.health where health.isServing { break } }
    try await fill(100)
    try await running(early) {
      for await revised in early.state where revised.position?.index == 100 { break }
      for await health in early.health where health.isServing { break }
      let outcome = await early.ask(key: "late")
      XCTAssertEqual(outcome?.reply, 101)
    }
  }

  func test_aNewVersionThatCannotReadAnOlderStateSaysSoAndTheOlderServes() async throws {
    try await fill(100)
    let (old, new) = (SharedChannel(Old(), log: log), SharedChannel(Unable(), log: another()))
    try await running(old, new) {
      for await health in new.health where health.readFailure != nil { break }
      let reason = try XCTUnwrap(new.health.value.readFailure)
      XCTAssertEqual(
        reason,
        "the log's first entries were deleted, and no snapshot can be used: "
          + "upcast(state:from:) makes nothing of a state of version 1")
      do {
        try await new.takeOver()
        XCTFail("it has no state")
      } catch LogFailure.refused(reason) {}
      let refused = await new.commands.ask(Keyed(key: "k", ""))
      XCTAssertEqual(refused, .notStored(reason))
      let outcome = await old.ask(key: "k")
      XCTAssertEqual(outcome?.reply, 101)
      XCTAssertFalse(new.health.value.isReady)
      XCTAssertEqual(new.health.value.restarts, 0)
    }
  }

  func test_aNewVersionAppliesAWholeLogIfItCannotReadAnOlderState() async throws {
    try await fill(100, history: nil)
    let new = SharedChannel(Unable(), log: another())
    try await running(new) {
      let outcome = await new.commands.ask(Keyed(key: "k", ""))
      XCTAssertEqual(outcome?.reply, 303)
    }
  }

  func test_aVersionThatDoesNotServeDeletesNothing() async throws {
    try await fill(100, history: nil)
    let (new, log) = (
      SharedChannel(
        New(), log: another(), snapshotInterval: 10, history: 10, takesOver: false), log
    )
    try await running(new) {
      while await new.counts.snapshots == 0 { await Task.yield() }
      try await requireFirst(1, in: log)
      try await new.takeOver()
      for number in 1...9 { _ = await new.commands.ask(Keyed(key: "new \(number)", "")) }
      // The take-over is an entry, too.
      try await requireFirst(100, in: log)
    }
  }

  func test_anEngineThatCannotDeleteIsNamedAndServed() async throws {
    let channel = SharedChannel(
      Old(), log: KeepingLog(log: MemoryLog()), snapshotInterval: 10, history: 10)
    try await running(channel) {
      for number in 1...30 { _ = await channel.ask(key: "\(number)") }
      for await health in channel.health where health.snapshotFailure != nil { break }
      XCTAssertEqual(
        channel.health.value.snapshotFailure,
        "this engine cannot delete entries")
      XCTAssertTrue(channel.health.value.isServing)
    }
  }

  /// Each tenth entry has a snapshot.
  private func fill(_ count: Int, from first: Int = 1, history: Int? = 20) async throws {
    let channel = SharedChannel(Old(), log: log, snapshotInterval: 10, history: history)
    let log = log
    try await running(channel) {
      for number in first...count { _ = await channel.ask(key: "\(number)") }
      try await requireFirst(history.map { count - $0 } ?? 1, in: log)
    }
  }
}

/// Returns when the log begins with this entry.
private func requireFirst(_ index: Int, in log: any SharedLog) async throws {
  while try await log.entries(after: nil)[0].position.index != index { await Task.yield() }
}

extension SharedChannel<Old> {
  fileprivate func ask(key: String) async -> Outcome? { await commands.ask(Keyed(key: key, "")) }
}

private struct Old: SharedState {
  private(set) var count = 0

  mutating func apply(_ command: String) -> Int {
    count += 1
    return count
  }
}

/// Adds two for each command.
private struct New: SharedState {
  static var version: Int { 2 }
  private(set) var sum = 0

  mutating func apply(_ command: String) -> Int {
    sum += 2
    return sum
  }

  static func upcast(state: Data, from version: Int) throws -> New? {
    New(sum: try JSONDecoder().decode(Old.self, from: state).count * 2)
  }
}

/// Adds three, and does not know how old states are encoded.
private struct Unable: SharedState {
  static var version: Int { 3 }
  private var sum = 0

  mutating func apply(_ command: String) -> Int {
    sum += 3
    return sum
  }
}
