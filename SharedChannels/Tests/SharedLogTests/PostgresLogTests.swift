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
    try await running
  }

  func test_entriesThatNoNotificationToldOfAreFound() async throws {
    let log = try makeLog(pollInterval: .milliseconds(200))
    _ = try await log.append([Keyed(key: "a", Data())])
    let end = try await log.end()
    async let entries = log.entries(after: end)
    try engine().query("INSERT INTO \(schema).entry VALUES (2, 1, 'b', '')")
    let keys = try await entries.map(\.key)
    XCTAssertEqual(keys, ["b"])
  }

  func test_aLockOfOthersIsWaitedForAShortWhileAndACancelledCallNotEvenThat() async throws {
    let log = try makeLog()
    _ = try await log.end()
    let holder = Process()
    holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    holder.arguments = [
      "psql", "-qAt", try engine().address, "-c",
      "SELECT pg_advisory_lock(hashtext('\(schema)')), pg_sleep(60)",
    ]
    holder.standardInput = FileHandle.nullDevice
    try holder.run()
    defer { holder.terminate() }
    let isHeld = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"
    while try !engine().query(isHeld).hasPrefix("1") { await Task.yield() }

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

  func test_aServerThatHoldsAnotherSchemaIsRefusedWithItsReason() async throws {
    let log = try makeLog()
    _ = try await log.end()
    try engine().query("DROP FUNCTION \(schema).last()")
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
