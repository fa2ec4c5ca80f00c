import AsyncChannels
import Foundation
import SharedChannels
import SharedLogConformance
import SharedLogPostgreSQL
import XCTest

/// Over a server of the tests' own, which `check` starts. Skipped without one.
final class PostgresLogsTests: XCTestCase {
  private let schema = "logs" + UUID().uuidString.lowercased().filter(\.isHexDigit).prefix(16)

  private func engine() throws -> PostgresLogsEngine {
    guard let address = ProcessInfo.processInfo.environment["SHARED_LOG_POSTGRES"] else {
      throw XCTSkip("there is no PostgreSQL in SHARED_LOG_POSTGRES")
    }
    return PostgresLogsEngine(address: address, schema: schema)
  }

  func test_eachConforms() async throws {
    let engine = try engine()
    for check in LogConformance.Check.allCases { try await LogConformance(engine).run(check) }
  }

  /// Each command is asked until it is answered. Few rooms are open at a time, so they are closed and opened all the while.
  func test_manyRoomsOfTwoMachinesLoseNothingWhileTheServerCrashes() async throws {
    let engine = try engine()
    let machines = try (0..<2).map { _ in
      let logs = try engine.machine()
      return SharedRooms(limit: 40) { name in
        SharedChannel(Tally(), log: try logs.log(name), snapshotInterval: 5, history: 1_000)
      }
    }
    let (names, clients, commands) = ((0..<60).map { "room \($0)" }, 30, 40)
    try await running(machines, within: .seconds(120)) {
      let replies = try await withThrowingTaskGroup(of: [String: [Int]].self) { group in
        group.addTask {
          for _ in 0..<2 {
            try await Task.sleep(for: .milliseconds(700))
            try control("crash")
          }
          return [:]
        }
        for client in 0..<clients {
          group.addTask {
            var replies: [String: [Int]] = [:]
            for number in 0..<commands {
              let name = names[(client * 7 + number) % names.count]
              let reply = try await ask("\(client) \(number)", in: name, of: machines[client % 2])
              if let reply { replies[name, default: []].append(reply) }
              try await Task.sleep(for: .milliseconds(Int.random(in: 0...80)))
            }
            return replies
          }
        }
        return try await group.reduce(into: [String: [Int]]()) { $0.merge($1, uniquingKeysWith: +) }
      }
      var all = 0
      for name in names {
        var states: [Tally?] = []
        for machine in machines {
          states.append(try await machine.withRoom(name) { try await $0.upToDateState()?.value })
        }
        XCTAssertEqual(states[0], states[1], name)
        let counts = replies[name] ?? []
        XCTAssertEqual(Set(counts).count, counts.count, "\(name) has given a reply twice")
        all += states[0]?.count ?? 0
      }
      XCTAssertEqual(all, clients * commands)
    }
  }

  func test_roomsThatAreOpenShareThreeConnections() async throws {
    let (engine, schema) = (try engine(), schema)
    let logs = try engine.machine()
    let rooms = SharedRooms(limit: 300) { SharedChannel(Tally(), log: try logs.log($0)) }
    try await running([rooms], within: .seconds(60)) {
      for number in 0..<300 {
        _ = try await rooms.withRoom("room \(number)") {
          await $0.commands.ask(Keyed(key: "k", "a"))
        }
      }
      let count = try PostgresEngine(address: engine.address).query(
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE application_name = 'shared_channels' AND query LIKE '%\(schema)%'
        """)
      XCTAssertEqual(count.trimmingCharacters(in: .whitespacesAndNewlines), "3")
    }
  }

  func test_entriesThatNoNotificationToldOfAreFound() async throws {
    let logs = try engine().machine(pollInterval: .milliseconds(200))
    let log = try logs.log("a log")
    _ = try await log.append([Keyed(key: "a", Data())])
    let end = try await log.end()
    // The listener is told of another log all the while.
    let (busy, appender) = (try logs.log("busy"), try engine().machine().log("busy"))
    let following = Task {
      var last: Position?
      while true { last = try await busy.entries(after: last).last?.position }
    }
    let appending = Task {
      while true {
        _ = try await appender.append([Keyed(key: UUID().uuidString, Data())])
        try await Task.sleep(for: .milliseconds(30))
      }
    }
    defer { for task in [following, appending] { task.cancel() } }
    async let entries = within(.seconds(20)) {
      try await log.entries(after: end)
    } orSay: {
      "the entry is not found"
    }
    try PostgresEngine(address: engine().address).query(
      "INSERT INTO \(schema).entry VALUES ('a log', 2, 1, 'b', '')")
    let found = try await entries
    XCTAssertEqual(found.map(\.key), ["b"])
  }

  func test_onlyMachinesThatHaveALogOpenAreToldOfItsEntries() async throws {
    let machines = try (0..<3).map { _ in try engine().machine() }
    let appender = try machines[2].log("a")
    _ = try await appender.append([Keyed(key: "a", Data())])
    try await { () async throws in
      let logs = try machines.prefix(2).map { try $0.log("a") }
      let readers = logs.map { log in
        Task {
          let first = try await log.entries(after: nil)
          return try await log.entries(after: first.last?.position).map(\.key)
        }
      }
      try await requireFollowers(["a|2"])
      _ = try await appender.append([Keyed(key: "b", Data())])
      for reader in readers {
        let keys = try await within(.seconds(20)) {
          try await reader.value
        } orSay: {
          "a reader is not told"
        }
        XCTAssertEqual(keys, ["b"])
      }
    }()
    // Both have closed it, and one reads another.
    let reader = try machines[1].log("b")
    let waiting = Task { try await reader.entries(after: nil) }
    defer { waiting.cancel() }
    try await requireFollowers(["a|1", "b|1"])
  }

  func test_aReaderHasWhatItsMachineAndAnotherAppendAtOneTime() async throws {
    let machines = try (0..<2).map { _ in try engine().machine() }
    for round in 0..<10 {
      let logs = try machines.map { try $0.log("log \(round)") }
      try await requireEachReads(whatBothAppend: 20, to: logs[0], logs[1])
    }
  }

  /// Both append one entry at a time, so often.
  private func requireEachReads(
    whatBothAppend count: Int, to one: some SharedLog, _ other: some SharedLog
  ) async throws {
    let readers = [one, other].map { (log: any SharedLog) in
      Task {
        var last: Position?
        while last?.index ?? 0 < 2 * count {
          last = try await log.entries(after: last).last?.position
        }
      }
    }
    for number in 0..<count {
      async let first = one.append([Keyed(key: "a\(number)", Data())])
      async let second = other.append([Keyed(key: "b\(number)", Data())])
      _ = try await (first, second)
    }
    try await within(.seconds(20)) {
      for reader in readers { try await reader.value }
    } orSay: {
      "a reader waits, and there are entries"
    }
  }

  func test_aReaderHasWhatACancelledAppendHasStored() async throws {
    let log = try engine().machine().log("a")
    var last: Position?
    for round in 0..<40 {
      _ = try await log.append([Keyed(key: "a\(round)", Data())])
      let append = Task { try await log.append([Keyed(key: "b\(round)", Data())]) }
      try await Task.sleep(for: .microseconds(100 * round))
      append.cancel()
      _ = try? await append.value
      // What is on its way is stored meanwhile. Another append would tell the reader, too.
      try await Task.sleep(for: .milliseconds(20))
      let end = try await log.end()
      last = try await within(.seconds(20)) { [last] in
        var last = last
        while last?.isAtOrAfter(end) != true {
          last = try await log.entries(after: last).last?.position
        }
        return last
      } orSay: {
        "the reader waits, and there are entries"
      }
    }
  }

  /// Another machine has stored it, and told nobody.
  func test_aRetryTellsItsOwnReader() async throws {
    let (engine, schema) = (try engine(), schema)
    let log = try engine.machine().log("a")
    let first = try await log.append([Keyed(key: "a", Data())])
    _ = try await log.entries(after: nil)
    let waiting = Task { try await log.entries(after: first[0].position) }
    try await requireFollowers(["a|1"])
    try await Task.sleep(for: .milliseconds(200))
    try PostgresEngine(address: engine.address).query(
      "SELECT FROM \(schema).append('{a}', '{b}', '{\"\"}', 1)")
    let again = try await log.append([Keyed(key: "b", Data())])
    XCTAssertTrue(again[0].isRepeated)
    let entries = try await within(.seconds(20)) {
      try await waiting.value
    } orSay: {
      "the reader is not told"
    }
    XCTAssertEqual(entries.map(\.key), ["b"])
  }

  func test_aLogThatLostItsLastEntriesIsNoticedByItsOwnAppend() async throws {
    try await requireNoticed(by: 10, "DELETE FROM \(schema).entry WHERE index > 5")
  }

  /// The reader has the entry before it in memory, and must not take the next one for its successor.
  func test_aReaderNoticesThatItsLogWasSetBackBetweenTwoOfItsOwnAppends() async throws {
    try await requireNoticed(
      by: 2, "UPDATE \(schema).entry SET mark = 7, key = 'c' WHERE index = 2")
  }

  /// A reader that has so many entries, and waits, notices with its own next entry what was done to the log.
  private func requireNoticed(by count: Int, _ change: String) async throws {
    let log = try engine().machine().log("a")
    _ = try await log.append((0..<count).map { Keyed(key: "k\($0)", Data()) })
    let known = try await log.entries(after: nil).last?.position
    let waiting = Task { try await log.entries(after: known) }
    try await requireFollowers(["a|1"])
    try await Task.sleep(for: .milliseconds(200))
    try PostgresEngine(address: engine().address).query(change)
    _ = try await log.append([Keyed(key: "new", Data())])
    do {
      _ = try await within(.seconds(20)) {
        try await waiting.value
      } orSay: {
        "it is not noticed"
      }
      XCTFail("it was not noticed")
    } catch LogFailure.otherEpoch {}
  }

  func test_twoHandlesOfAMachineThatAppendAtOneTimeHaveAll() async throws {
    let machine = try engine().machine()
    try await requireEachReads(whatBothAppend: 100, to: machine.log("a"), machine.log("a"))
  }

  func test_aHandleHasWhatAnotherOfItsMachineAppends() async throws {
    let machine = try engine().machine()
    let (appender, reader) = (try machine.log("a"), try machine.log("a"))
    var last: Position?
    for round in 0..<5 {
      let waiting = Task { [last] in try await reader.entries(after: last) }
      try await Task.sleep(for: .milliseconds(100))
      _ = try await appender.append([Keyed(key: "k\(round)", Data())])
      last = try await within(.seconds(20)) {
        try await waiting.value.last?.position
      } orSay: {
        "the reader is not told"
      }
    }
  }

  func test_aCancelledCallLeavesTheConnections() async throws {
    let (engine, schema) = (try engine(), schema)
    let log = try engine.machine().log("a")
    let connections = """
      SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity
      WHERE application_name = 'shared_channels' AND query LIKE '%\(schema).%' AND query NOT LIKE '%follow%'
      """
    _ = try await log.append([Keyed(key: "a", Data())])
    _ = try await log.entries(after: nil)
    let database = PostgresEngine(address: engine.address)
    let before = try database.query(connections)
    for round in 0..<50 {
      let calls = (0..<4).map { _ in Task { try await log.end() } }
      try await Task.sleep(for: .microseconds(50 * round))
      for call in calls { call.cancel() }
      for call in calls { _ = try? await call.value }
    }
    _ = try await log.end()
    XCTAssertEqual(try database.query(connections), before)
  }

  private func requireFollowers(_ expected: [String]) async throws {
    let (database, schema) = (PostgresEngine(address: try engine().address), schema)
    try await within(.seconds(20)) {
      while true {
        let found =
          (try? database.query(
            "SELECT log, count(*) FROM \(schema).follower GROUP BY log ORDER BY log")) ?? ""
        if found.split(separator: "\n").map(String.init) == expected { return }
        try await Task.sleep(for: .milliseconds(20))
      }
    } orSay: {
      "the followers are others than \(expected)"
    }
  }

  func test_aLogThatIsClosedIsNotFollowedAnyMore() async throws {
    let machine = try engine().machine()
    for name in ["a", "b"] {
      let log = try machine.log(name)
      let waiting = Task { try await log.entries(after: nil) }
      try await requireFollowers(["\(name)|1"])
      waiting.cancel()
      _ = try? await waiting.value
    }
  }

  func test_aMachineIsToldAgainAfterItsConnectionsWereEnded() async throws {
    let (engine, schema) = (try engine(), schema)
    let (appender, reader) = (try engine.machine().log("a"), try engine.machine().log("a"))
    var last: Position?
    for round in 0..<4 {
      _ = try await untilItSucceeds { try await appender.append([Keyed(key: "k\(round)", Data())]) }
      let entries = try await within(.seconds(20)) { [last] in
        try await untilItSucceeds { try await reader.entries(after: last) }
      } orSay: {
        "the reader is not told"
      }
      XCTAssertEqual(entries.map(\.key), ["k\(round)"])
      last = entries.last?.position
      try PostgresEngine(address: engine.address).query(
        """
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE application_name = 'shared_channels' AND query LIKE '%\(schema)%'
        """)
    }
  }

  func test_aReaderThatTakesItsOwnEntryHasThatOfAnotherBehindIt() async throws {
    let logs = try (0..<2).map { _ in try engine().machine().log("a") }
    let first = try await logs[0].append([Keyed(key: "a", Data())])
    _ = try await logs[0].entries(after: nil)
    // It follows the log, and has all.
    let waiting = Task { try await logs[0].entries(after: first[0].position) }
    try await requireFollowers(["a|1"])
    try await Task.sleep(for: .milliseconds(200))
    waiting.cancel()
    _ = try? await waiting.value
    _ = try await logs[0].append([Keyed(key: "b", Data())])
    _ = try await logs[1].append([Keyed(key: "c", Data())])
    // It is told meanwhile.
    try await Task.sleep(for: .milliseconds(500))
    let keys = try await within(.seconds(20)) {
      var (last, keys) = (first[0].position as Position?, [String]())
      while keys.count < 2 {
        let entries = try await logs[0].entries(after: last)
        keys += entries.map(\.key)
        last = entries.last?.position
      }
      return keys
    } orSay: {
      "a reader waits, and there are entries"
    }
    XCTAssertEqual(keys, ["b", "c"])
  }

  func test_aLogOfItsOwnIsOneOfTheLogsOfItsSchema() async throws {
    let address = try PostgresAddress(engine().address)
    _ = try await PostgresLog(address, schema: schema).append([Keyed(key: "k", Data())])
    let keys = try await engine().machine().log("log").entries(after: nil).map(\.key)
    XCTAssertEqual(keys, ["k"])
  }

  func test_aNameThatIsNoneIsRefused() throws {
    let logs = try engine().machine()
    for name in ["", String(repeating: "a", count: 201), "a\nb", "é"] {
      XCTAssertThrowsError(try logs.log(name), name)
    }
    _ = try logs.log(String(repeating: "a", count: 200))
  }
}

/// Runs rooms while a closure runs.
private func running<Value: Sendable>(
  _ rooms: [SharedRooms<Tally>], within limit: Duration,
  body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let runs = rooms.map { rooms in Task { await rooms.run() } }
  defer { for run in runs { run.cancel() } }
  return try await within(limit, body, orSay: { "the rooms do not go on" })
}

/// Asks until it is answered, and returns the reply if it is still known.
private func ask(
  _ command: String, in room: String, of machine: SharedRooms<Tally>
) async throws -> Int? {
  while true {
    try Task.checkCancellation()
    let outcome = try await machine.withRoom(room) {
      await $0.commands.ask(Keyed(key: command, command))
    }
    switch outcome {
    case .applied(let count, at: _)?: return count
    case .repeated?: return nil
    case .notStored(let reason)?: throw LogFailure.refused(reason)
    case nil: try await Task.sleep(for: .milliseconds(20))
    }
  }
}

private func control(_ fault: String) throws {
  guard let control = ProcessInfo.processInfo.environment["SHARED_LOG_POSTGRES_CONTROL"] else {
    throw XCTSkip("there is no way to damage a server in SHARED_LOG_POSTGRES_CONTROL")
  }
  try execute(control, [fault])
}
