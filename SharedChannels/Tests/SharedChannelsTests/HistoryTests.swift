import AsyncChannels
import AsyncChannelsTesting
import Foundation
import SharedChannels
import XCTest

/// One order on several machines, starts, and logs that were set back.
final class HistoryTests: XCTestCase {
  private let log = ScriptedLog()

  func test_machinesHaveTheSameStatesAndNoneGoesBack() async throws {
    let channels = (0..<4).map { _ in SharedChannel(Guests(), log: ScriptedLog(log.storage)) }
    let seen = channels.map { $0.state.subscribe() }
    let entries = channels.map { $0.entries.subscribe() }
    try await running(channels[0], channels[1], channels[2], channels[3]) { [log] in
      // What is in the log before is no entry of a machine.
      for channel in channels {
        for await health in channel.health where health.isServing { break }
      }
      let replies = await withTaskGroup(of: [Guests.Reply].self) { group in
        for (number, channel) in channels.enumerated() {
          group.addTask {
            var replies: [Guests.Reply] = []
            for name in 0..<100 {
              // All machines want the same names, so most are refused.
              if let reply = await channel.add("g\(name + number)")?.reply { replies.append(reply) }
            }
            return replies
          }
        }
        return await group.reduce(into: []) { $0 += $1 }
      }
      XCTAssertEqual(replies.count, 400)
      XCTAssertEqual(replies.count { $0 != .isThere }, 103, "each name is there once")
      let end = try await log.end()
      for channel in channels {
        for await revised in channel.state where revised.position == end { break }
      }
    }
    for channel in channels { XCTAssertEqual(channel.state.value, channels[0].state.value) }
    for subscription in seen { try await requireAscending(subscription) }
    var orders: Set<String> = []
    for subscription in entries {
      var order = ""
      for _ in 0..<400 {
        let next = try await within { await subscription.next() }
        guard let entry = next else { return XCTFail("an entry is missing") }
        order += "\(entry.position.index) \(entry.command) \(entry.reply)\n"
      }
      orders.insert(order)
    }
    XCTAssertEqual(orders.count, 1, "all machines have the same entries with the same replies")
  }

  private func requireAscending(_ states: Subscription<Revised<Guests>>) async throws {
    var last: Int64 = -1
    for _ in 0..<states.pendingCount {
      guard let revised = await states.next() else { return XCTFail("a state is missing") }
      let index = revised.position?.index ?? 0
      XCTAssertGreaterThanOrEqual(index, last)
      last = index
    }
  }

  func test_anUpToDateStateHasWhatWasAnsweredElsewhere() async throws {
    let (channel, other) = (
      SharedChannel(Guests(), log: log), SharedChannel(Guests(), log: ScriptedLog(log.storage))
    )
    try await running(channel, other) {
      for number in 1...50 {
        _ = await channel.add("g\(number)")
        let revised = try await other.upToDateState()
        XCTAssertEqual(revised?.value.names.count, number)
      }
    }
  }

  func test_aStartPublishesWhatTheLogHasInOneStepAndThenEntries() async throws {
    try await fill(1_200)
    let channel = SharedChannel(Guests(), log: ScriptedLog(log.storage))
    let states = Probe(channel.state.outlet)
    let entries = Probe(channel.entries.map(\.position.index))
    try await running(channel) {
      for await health in channel.health where health.isServing { break }
      _ = await channel.add("late")
    }
    XCTAssertEqual(states.values.map(\.value.names.count), [0, 1_200, 1_201])
    XCTAssertEqual(entries.values, [1_201])
  }

  func test_aStartReadsOnlyWhatIsAfterTheSnapshot() async throws {
    try await fill(1_000)
    let snapshot = try await log.snapshot(upToVersion: 1)
    XCTAssertEqual(snapshot?.position.index, 1_000)
    let again = ScriptedLog(log.storage)
    let channel = SharedChannel(Guests(), log: again)
    try await running(channel) {
      let outcome = await channel.add("late")
      XCTAssertEqual(outcome?.reply, .done(count: 1_001))
    }
    XCTAssertEqual(again.reads.first, 1_000)
  }

  func test_aSnapshotThatCannotBeDecodedIsNotUsed() async throws {
    try await fill(10)
    let end = try await log.end()
    try await log.keep(Snapshot(version: 1, position: end, data: Data("?".utf8)))
    let channel = SharedChannel(Guests(), log: log)
    try await running(channel) {
      let outcome = await channel.add("late")
      XCTAssertEqual(outcome?.reply, .done(count: 11))
    }
  }

  func test_oneMachineStoresASnapshotAtEachInterval() async throws {
    let channels = (0..<3).map { _ in
      SharedChannel(Guests(), log: ScriptedLog(log.storage), snapshotInterval: 10)
    }
    try await running(channels[0], channels[1], channels[2]) { [log] in
      for number in 0..<35 { _ = await channels[number % 3].add("g\(number)") }
      var count = 0
      while count < 3 {
        count = 0
        for channel in channels { count += await channel.counts.snapshots }
        await Task.yield()
      }
      XCTAssertEqual(count, 3)
      let snapshot = try await log.snapshot(upToVersion: 1)
      XCTAssertEqual(snapshot?.position.index, 30)
    }
  }

  func test_aLogThatWasSetBackGivesItsStateInAnotherEpoch() async throws {
    let channel = SharedChannel(Guests(), log: log)
    try await running(channel) { [log] in
      for name in ["Ann", "Bob"] { _ = await channel.add(name) }
      let (backup, before) = (log.storage.backUp(), channel.state.value)
      for name in ["Cy", "Di"] { _ = await channel.add(name, key: name) }
      log.storage.restore(backup)
      for await health in channel.health where health.restarts == 1 && health.isServing { break }
      XCTAssertEqual(channel.state.value.value, before.value)
      XCTAssertEqual(channel.state.value.position?.index, 2)
      XCTAssertNotEqual(channel.state.value.position?.epoch, before.position?.epoch)
      // A command that was lost can be asked again with its key.
      let again = await channel.add("Di", key: "Di")
      XCTAssertEqual(again?.reply, .done(count: 3))
    }
  }

  func test_aGapIsNoticedAndTheStateStaysUntilTheLogIsWhole() async throws {
    let channel = SharedChannel(Guests(), log: log)
    let failures = Probe(channel.health.map(\.readFailure).removeDuplicates().outlet)
    try await running(channel) { [log] in
      _ = await channel.add("Ann")
      log.hide(2)
      _ = try await log.append(["b", "c"].map(entry))
      try await failures.expect(nil)
      try await failures.expect(
        "after the entry 1 the log has the entry 3: put back what was deleted, for example from a backup"
      )
      XCTAssertEqual(channel.state.value.value.names, ["Ann"])
      let refused = await channel.add("d")
      guard case .notStored(let reason)? = refused else { return XCTFail("it was not refused") }
      XCTAssertTrue(reason.hasPrefix("after the entry 1 the log has the entry 3"), reason)
      // So does a machine that starts.
      let later = SharedChannel(Guests(), log: log)
      try await running(later) {
        for await health in later.health where health.isReady { break }
        XCTAssertFalse(later.health.value.isServing)
        XCTAssertEqual(later.state.value.value.names, ["Ann"])
      }
      log.hide(nil)
      for await revised in channel.state where revised.position?.index == 3 { break }
      XCTAssertEqual(channel.state.value.value.names, ["Ann", "b", "c"])
      XCTAssertEqual(channel.health.value.restarts, 0)
    }
  }

  func test_aLogThatIsSetBackToTheEntryBeforeAGapIsWhole() async throws {
    let channel = SharedChannel(Guests(), log: log)
    try await running(channel) { [log] in
      _ = await channel.add("Ann")
      let backup = log.storage.backUp()
      log.hide(2)
      _ = try await log.append(["b", "c"].map(entry))
      for await health in channel.health where health.readFailure != nil { break }
      log.storage.restore(backup)
      log.hide(nil)
      for await health in channel.health where health.isServing { break }
      let outcome = await channel.add("d")
      XCTAssertEqual(outcome?.reply, .done(count: 2))
    }
  }

  func test_aMachineBeforeAGapGoesOnBehindItWhenThereIsASnapshotThatItCanRead() async throws {
    let channel = SharedChannel(Guests(), log: log)
    try await running(channel) { [log] in
      _ = await channel.add("Ann")
      log.hide(2)
      let places = try await log.append(["b", "c", "d"].map(entry)).map(\.position)
      try await log.keep(Snapshot(version: 1, position: places[1], data: Data("?".utf8)))
      for await health in channel.health where health.readFailure != nil { break }
      let refused = await channel.add("e")
      guard case .notStored? = refused else { return XCTFail("it was not refused") }
      let state = Data(#"{"names": ["Ann", "b", "c", "d"]}"#.utf8)
      try await log.keep(Snapshot(version: 1, position: places[2], data: state))
      for await health in channel.health where health.isServing { break }
      let outcome = await channel.add("e")
      XCTAssertEqual(outcome?.reply, .done(count: 5))
      XCTAssertEqual(channel.health.value.restarts, 1)
    }
  }

  private func fill(_ count: Int) async throws {
    let channel = SharedChannel(Guests(), log: log, snapshotInterval: 1_000)
    let log = log
    _ = try await log.append((0..<count - 1).map { entry("g\($0)") })
    try await running(channel) {
      _ = await channel.add("last")
      guard count >= 1_000 else { return }
      while await channel.counts.snapshots == 0 { await Task.yield() }
    }
  }
}

private func entry(_ name: String) -> Keyed<Data> {
  Keyed(key: name, try! JSONEncoder().encode(Guests.Command.add(name)))
}
