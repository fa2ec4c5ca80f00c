import AsyncChannels
import Foundation
import SharedChannels
import SharedLogConformance
import SharedLogPostgreSQL
import XCTest

/// Over a server of the tests' own, which `check` starts. Skipped without one.
final class PostgresLogTests: XCTestCase {
  private let schema = "log" + UUID().uuidString.lowercased().filter(\.isHexDigit).prefix(16)

  private func engine() throws -> PostgresEngine {
    guard let address = ProcessInfo.processInfo.environment["SHARED_LOG_POSTGRES"] else {
      throw XCTSkip("there is no PostgreSQL in SHARED_LOG_POSTGRES")
    }
    return PostgresEngine(address: address)
  }

  private func makeLog(pollInterval: Duration = .seconds(30)) throws -> PostgresLog {
    PostgresLog(
      try PostgresAddress(engine().address), schema: schema, pollInterval: pollInterval)
  }

  func test_itConforms() async throws {
    let engine = try engine()
    for check in LogConformance.Check.allCases { try await LogConformance(engine).run(check) }
  }

  func test_aServerThatCrashesLosesNothingAndNoStateGoesBack() async throws {
    try await requireNothingIsLost(rounds: 3, fault: "crash")
  }

  func test_aServerThatIsRestartedLosesNothingAndNoStateGoesBack() async throws {
    try await requireNothingIsLost(rounds: 3, fault: "restart")
  }

  func test_aServerThatStandsStillLosesNothingAndNoStateGoesBack() async throws {
    try await requireNothingIsLost(rounds: 2, fault: "freeze")
  }

  func test_aNetworkThatIsCutLosesNothingAndNoStateGoesBack() async throws {
    let (address, server, schema) = (try engine().address, try server(), schema)
    let cable = try Cable(to: server)
    defer { cable.unplug() }
    try await SharedLogTests.requireNothingIsLost(rounds: 1) {
      PostgresLog(
        try PostgresAddress(address.replacing(server, with: cable.address)), schema: schema,
        pollInterval: .seconds(30))
    } fault: {
      try await cable.cutForAWhile()
    }
  }

  func test_aDiskThatIsFullLosesNothingAndNoStateGoesBack() async throws {
    let (engine, schema) = (try engine(), schema)
    let disk = try SmallDisk(megabytes: 32)
    let tables = disk.folder.appending(path: "tables")
    try FileManager.default.createDirectory(at: tables, withIntermediateDirectories: true)
    if getuid() == 0 { try execute("chown", ["postgres", tables.path]) }
    try execute(
      "psql",
      ["-qAt", "-c", "CREATE TABLESPACE \(schema) LOCATION '\(tables.path)'", engine.address])
    defer {
      _ = try? engine.query("DROP SCHEMA \(schema) CASCADE")
      _ = try? execute("psql", ["-qAt", "-c", "DROP TABLESPACE \(schema)", engine.address])
      disk.remove()
    }
    let address = engine.address + "?options=-c%20default_tablespace%3D\(schema)"
    try await SharedLogTests.requireNothingIsLost(rounds: 2) {
      PostgresLog(try PostgresAddress(address), schema: schema, pollInterval: .seconds(30))
    } fault: {
      try await disk.fillForAWhile()
    }
  }

  func test_behindAPoolerThatKeepsConnectionsItConforms() async throws {
    let pooler = try await Pooler(to: try server(), mode: "session")
    defer { pooler.end() }
    for check in LogConformance.Check.allCases {
      try await LogConformance(PostgresEngine(address: pooler.address)).run(check)
    }
  }

  func test_aPoolerThatDoesNotKeepConnectionsIsNamedInTheFailure() async throws {
    let pooler = try await Pooler(to: try server(), mode: "transaction")
    defer { pooler.end() }
    let (address, schema) = (pooler.address, schema)
    let logs = try (0..<2).map { _ in
      PostgresLog(try PostgresAddress(address), schema: schema, pollInterval: .milliseconds(500))
    }
    let reason = try await within(.seconds(60)) {
      var last: Position?
      for number in 1... {
        do {
          _ = try await logs[number % 2].append([Keyed(key: "k\(number)", Data())])
          last = try await logs[0].entries(after: last).last?.position
        } catch LogFailure.unreachable(let reason) { return reason }
      }
      return ""
    } orSay: {
      "the pooler is not noticed"
    }
    XCTAssertTrue(reason.contains("session mode"), reason)
  }

  /// The server of the tests, as HOST:PORT.
  private func server() throws -> String {
    let address = try engine().address
    return String(address[address.firstRange(of: /[0-9.]+:[0-9]+/)!])
  }

  private func requireNothingIsLost(rounds: Int, fault: String) async throws {
    guard let control = ProcessInfo.processInfo.environment["SHARED_LOG_POSTGRES_CONTROL"] else {
      throw XCTSkip("there is no way to damage a server in SHARED_LOG_POSTGRES_CONTROL")
    }
    let (address, schema) = (try engine().address, schema)
    try await SharedLogTests.requireNothingIsLost(rounds: rounds) {
      PostgresLog(try PostgresAddress(address), schema: schema, pollInterval: .seconds(30))
    } fault: {
      try execute(control, [fault])
    }
  }

  func test_connectionsThatAreEndedAreMadeAgain() async throws {
    let (engine, schema) = (try engine(), schema)
    let channel = SharedChannel(Tally(), log: try makeLog())
    async let running: Void = channel.run()
    for round in 0..<5 {
      let outcome = await channel.commands.ask(Keyed(key: "k\(round)", "k\(round)"))
      guard case .applied(let count, _)? = outcome, count == round + 1 else {
        return XCTFail("\(outcome as Any)")
      }
      try engine.query(
        """
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE application_name = 'shared_channels' AND query LIKE '%\(schema)%'
        """)
    }
    channel.finish()
    await running
  }

  func test_entriesThatNoNotificationToldOfAreFound() async throws {
    let log = try makeLog(pollInterval: .milliseconds(200))
    _ = try await log.append([Keyed(key: "a", Data())])
    let end = try await log.end()
    async let entries = log.entries(after: end)
    try engine().query("INSERT INTO \(schema).entry VALUES ('log', 2, 1, 'b', '')")
    let keys = try await entries.map(\.key)
    XCTAssertEqual(keys, ["b"])
  }

  func test_aReaderIsToldOfABatchWhoseLastKeyIsRepeated() async throws {
    let (appender, reader) = (try makeLog(), try makeLog())
    _ = try await appender.append([Keyed(key: "a", Data())])
    var entries = try await reader.entries(after: nil)
    let waiting = Task { [last = entries.last?.position] in try await reader.entries(after: last) }
    try await Task.sleep(for: .milliseconds(300))
    _ = try await appender.append(["b", "a"].map { Keyed(key: $0, Data()) })
    entries += try await within(.seconds(20)) {
      try await waiting.value
    } orSay: {
      "the reader was not told"
    }
    XCTAssertEqual(entries.map(\.key), ["a", "b"])
  }

  /// It was stored by an appender that is gone.
  func test_aRetryTellsReadersOfAnEntryOfWhichNobodyWasTold() async throws {
    let (appender, reader) = (try makeLog(), try makeLog())
    _ = try await appender.append([Keyed(key: "a", Data())])
    let known = try await reader.entries(after: nil).last?.position
    let waiting = Task { try await reader.entries(after: known) }
    try await Task.sleep(for: .milliseconds(300))
    try engine().query("SELECT FROM \(schema).append('{log}', '{b}', '{\"\"}', 1)")
    _ = try await appender.append([Keyed(key: "a", Data())])
    let entries = try await within(.seconds(5)) {
      try await waiting.value
    } orSay: {
      "the reader was not told"
    }
    XCTAssertEqual(entries.map(\.key), ["b"])
  }

  func test_nothingIsToldOfAnAppendThatFailed() async throws {
    _ = try await makeLog().end()
    let found = try engine().query(
      """
      SELECT index FROM \(schema).append('{log}', '{a}', '{""}', 1);
      SAVEPOINT before;
      SELECT index FROM \(schema).append('{log}', '{b}', '{""}', 2);
      ROLLBACK TO before;
      SELECT FROM \(schema).make_durable();
      SELECT current_setting('\(schema).durable');
      SELECT FROM \(schema).tell('');
      SAVEPOINT before;
      SELECT index FROM \(schema).append('{log}', '{b}', '{""}', 2);
      ROLLBACK TO before;
      SELECT FROM \(schema).make_durable();
      SELECT current_setting('\(schema).durable') = '';
      """)
    XCTAssertEqual(found.split(separator: "\n"), ["1", "2", "1 1/log", "2", "t"])
  }

  func test_aReaderThatWasToldOfAnEntryGetsNoneAfterIt() async throws {
    let log = try makeLog()
    let receipts = try await log.append(["a", "b", "c"].map { Keyed(key: $0, Data()) })
    let mark = try XCTUnwrap(receipts.first?.position.mark)
    for (known, index, mark, keys) in [
      (0, 2, mark, "a b"), (1, 2, mark, "a b"), (3, 2, mark, "c"), (0, 2, mark ^ 1, "a b c"),
    ] {
      let found = try engine().query(
        """
        SELECT string_agg(key, ' ')
          FROM \(schema).entries('{log}', '{\(known)}', '{\(index)}', '{\(mark)}', 9, 999)
        """)
      XCTAssertEqual(found.trimmingCharacters(in: .newlines), keys)
    }
  }

  func test_anAppendToALargeLogLooksAtNoOtherEntries() async throws {
    _ = try await makeLog().end()
    let found = try engine().query(
      """
      SELECT index, is_repeated FROM \(schema).append('{log,log,log}', '{a,b,a}', '{"","",""}', 1);
      INSERT INTO \(schema).entry
        SELECT 'log', number, 1, 'k' || number, '' FROM generate_series(3, 5000) AS number;
      SELECT index, is_repeated FROM \(schema).append('{log,log,log}', '{c,k9,d}', '{"","",""}', 2);
      SELECT FROM \(schema).make_durable();
      SELECT FROM \(schema).tell('');
      SELECT idx_tup_fetch + seq_tup_read < 50 FROM pg_stat_xact_user_tables
        WHERE relid = '\(schema).entry'::regclass;
      """)
    XCTAssertEqual(
      found.split(separator: "\n"), ["1|0", "2|0", "1|1", "5001|0", "9|1", "5002|0", "t"])
  }

  /// Another program that takes a lock, and keeps it for a minute.
  private func hold(_ lock: String) async throws -> Process {
    let holder = Process()
    holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    holder.arguments = ["psql", "-qAt", try engine().address, "-c", "\(lock); SELECT pg_sleep(60)"]
    holder.standardInput = FileHandle.nullDevice
    try holder.start()
    let isHeld = """
      SELECT count(*) FROM pg_stat_activity
        WHERE wait_event = 'PgSleep' AND query LIKE '%\(schema)%'
      """
    while try !engine().query(isHeld).hasPrefix("1") { await Task.yield() }
    return holder
  }

  func test_aLockThatAnyRoleCanTakeStopsNobody() async throws {
    let log = try makeLog()
    _ = try await log.end()
    let holder = try await hold("SELECT pg_advisory_lock(hashtext('\(schema)'))")
    defer { holder.terminate() }
    let begin = ContinuousClock.now
    _ = try await log.append([Keyed(key: "k", Data())])
    XCTAssertLessThan(ContinuousClock.now - begin, .seconds(3))
  }

  func test_aLockOfOthersIsWaitedForAShortWhileAndACancelledCallNotEvenThat() async throws {
    let log = try makeLog()
    _ = try await log.end()
    let holder = try await hold("SELECT FROM \(schema).log FOR UPDATE")
    defer { holder.terminate() }

    let begin = ContinuousClock.now
    let appending = Task { try await log.append([Keyed(key: "cancelled", Data())]) }
    try await Task.sleep(for: .milliseconds(200))
    appending.cancel()
    let result = await appending.result
    XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError, "\($0)") }
    XCTAssertLessThan(ContinuousClock.now - begin, .seconds(3))
    do {
      _ = try await log.append([Keyed(key: "late", Data())])
      XCTFail("it has appended without the lock")
    } catch LogFailure.unreachable {}
    XCTAssertLessThan(ContinuousClock.now - begin, .seconds(10))
  }

  func test_aServerThatIsNotThereIsUnreachable() async throws {
    _ = try engine()
    let log = PostgresLog(try PostgresAddress("postgresql://nobody@127.0.0.1:1/none"))
    do {
      _ = try await log.end()
      XCTFail("there is no such server")
    } catch LogFailure.unreachable {}
  }

  func test_aSchemaOfAnOlderProgramIsRefused_andLeftAsItIs() async throws {
    let engine = try engine()
    try engine.query("CREATE SCHEMA \(schema); CREATE TABLE \(schema).log (epoch text NOT NULL);")
    do {
      _ = try await makeLog().end()
      XCTFail("it was not refused")
    } catch LogFailure.refused(let reason) {
      XCTAssertTrue(reason.contains("an older program has made it"), reason)
    }
    XCTAssertEqual(
      try engine.query(
        "SELECT count(*) FROM pg_class WHERE relnamespace = '\(schema)'::regnamespace"), "1\n")
  }

  func test_anAdministratorMakesTheSchema_andARoleWithTheseRightsAppendsAndIsTold() async throws {
    let (engine, role) = (try engine(), "role_\(schema)")
    let file = FileManager.default.temporaryDirectory.appending(path: "\(schema).sql")
    try Data(PostgresLog.definition(schema: schema).utf8).write(to: file)
    defer {
      try? FileManager.default.removeItem(at: file)
      _ = try? engine.query("DROP SCHEMA \(schema) CASCADE; DROP ROLE \(role);")
    }
    // It goes on after an error, but changes all or nothing.
    try engine.query("CREATE SCHEMA \(schema); CREATE VIEW \(schema).follower AS SELECT 1 AS log")
    try execute("psql", ["-qAt", "-f", file.path, engine.address])
    XCTAssertEqual(
      try engine.query("SELECT obj_description('\(schema)'::regnamespace)"), "\n")
    try engine.query("DROP VIEW \(schema).follower")
    try execute("psql", ["-qAt", "-f", file.path, engine.address])
    try engine.query(
      """
      CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(schema) TO \(role);
      GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA \(schema) TO \(role);
      """)
    let address = engine.address.replacing("shared@", with: "\(role)@")
    let logs = try (0..<2).map { _ in
      PostgresLog(try PostgresAddress(address), schema: schema, pollInterval: .seconds(60))
    }
    let last = try await logs[0].end()
    let waiting = Task { try await logs[0].entries(after: last).map(\.key) }
    defer { waiting.cancel() }
    try await Task.sleep(for: .milliseconds(300))
    _ = try await logs[1].append([Keyed(key: "m", Data())])
    let keys = try await within(.seconds(20)) {
      try await waiting.value
    } orSay: {
      "the reader was not told"
    }
    XCTAssertEqual(keys, ["m"])
  }

  func test_aStepOfCompactionIsBoundedInBytes() async throws {
    let log = try makeLog()
    let large = Data(repeating: 7, count: 1 << 20)
    let positions = try await log.append((1...7).map { Keyed(key: "\($0)", large) }).map(\.position)
    try await log.keep(Snapshot(version: 1, position: positions[6], data: Data("s".utf8)))
    let first = try await log.compact(before: 7, behind: positions[6])
    let second = try await log.compact(before: 7, behind: positions[6])
    XCTAssertEqual([first, second], [4, 2])
  }

  func test_aRoleThatMayNotDeleteIsToldSoAndServes() async throws {
    _ = try await makeLog().end()
    let (engine, role) = (try engine(), "role_\(schema)")
    try engine.query(
      """
      CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(schema) TO \(role);
      GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA \(schema) TO \(role);
      """)
    let address = engine.address.replacing("shared@", with: "\(role)@")
    let channel = SharedChannel(
      Tally(), log: PostgresLog(try PostgresAddress(address), schema: schema), snapshotInterval: 5,
      history: 5)
    async let running: Void = channel.run()
    for number in 1...20 { _ = await channel.commands.ask(Keyed(key: "\(number)", "")) }
    try await within(.seconds(20)) {
      for await health in channel.health where health.snapshotFailure != nil { return }
    } orSay: {
      "it may delete"
    }
    let failure = channel.health.value.snapshotFailure ?? ""
    XCTAssertTrue(failure.contains("permission denied"), failure)
    XCTAssertTrue(channel.health.value.isServing)
    channel.finish()
    await running
  }

  func test_aReaderLearnsThatNothingWillTellIt() async throws {
    let log = try makeLog()
    _ = try await log.append([Keyed(key: "k", Data())])
    try engine().query(
      """
      DROP FUNCTION \(schema).forget_followers;
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE application_name = 'shared_channels' AND query LIKE '%\(schema).forget%';
      """)
    let reason = try await within(.seconds(20)) {
      var last: Position?
      while true {
        do {
          last = try await log.entries(after: last).last?.position
        } catch LogFailure.refused(let reason) { return reason } catch LogFailure.unreachable {}
      }
    } orSay: {
      "the reader waits"
    }
    XCTAssertTrue(reason.contains("forget_followers() does not exist"), reason)
  }

  func test_aServerThatHoldsAnotherSchemaIsRefusedWithItsReason() async throws {
    let log = try makeLog()
    _ = try await log.end()
    try engine().query("DROP FUNCTION \(schema).last")
    do {
      _ = try await log.end()
      XCTFail("the function is gone")
    } catch LogFailure.refused(let reason) {
      XCTAssertTrue(reason.contains("does not exist"), reason)
    }
  }

  func test_anAddressWithAPasswordInTheWrongPlaceIsNotShown() {
    XCTAssertThrowsError(try PostgresAddress("postgresql://ann:se@cret@host/db")) { error in
      XCTAssertFalse("\(error)".contains("cret"), "\(error)")
    }
  }
}
