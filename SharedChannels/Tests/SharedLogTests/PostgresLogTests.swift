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
    guard let control = ProcessInfo.processInfo.environment["SHARED_LOG_POSTGRES_CONTROL"] else {
      throw XCTSkip("there is no way to crash a server in SHARED_LOG_POSTGRES_CONTROL")
    }
    let channels = try (0..<3).map { _ in SharedChannel(Tally(), log: try makeLog()) }
    let states = channels.map { $0.state.subscribe() }
    let answered = try await withThrowingTaskGroup(of: [String].self) { group in
      for channel in channels {
        group.addTask {
          try await channel.run()
          return []
        }
        group.addTask { await askUntilFinished(channel) }
      }
      for _ in 0..<3 {
        try await Task.sleep(for: .milliseconds(.random(in: 300...600)))
        try execute(control, ["crash"])
      }
      // The service goes on, however long that takes on a busy machine.
      let count = channels[0].state.value.value.count
      for await revised in channels[0].state where revised.value.count >= count + 30 { break }
      for channel in channels { channel.finish() }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let last = SharedChannel(Tally(), log: try makeLog())
    let state = try await finalState(of: last)
    XCTAssertGreaterThan(answered.count, 30)
    XCTAssertEqual(Set(answered).subtracting(state.keys), [], "an answered command is lost")
    XCTAssertEqual(state.keys.count, state.count, "a command was applied twice")
    for subscription in states {
      try await requireOneHistory(subscription)
    }
  }

  /// One epoch, and each state newer than the one before.
  private func requireOneHistory(_ states: Subscription<Revised<Tally>>) async throws {
    var last: Position?
    for _ in 0..<states.pendingCount {
      guard let position = await states.next()?.position else { continue }
      if let last { XCTAssertTrue(position.isAtOrAfter(last), "\(position) comes after \(last)") }
      last = position
    }
  }

  private func finalState(of channel: SharedChannel<Tally>) async throws -> Tally {
    async let running: Void = channel.run()
    let state = try await channel.upToDateState()
    channel.finish()
    try await running
    return try XCTUnwrap(state).value
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

/// All keys that were applied, and how many commands.
struct Tally: SharedState {
  private(set) var keys: Set<String> = []
  private(set) var count = 0

  mutating func apply(_ key: String) -> Int {
    keys.insert(key)
    count += 1
    return count
  }
}

/// The keys of the commands that were answered. Five clients, each of which asks again with its key until there is an
/// answer.
private func askUntilFinished(_ channel: SharedChannel<Tally>) async -> [String] {
  await withTaskGroup(of: [String].self) { group in
    for _ in 0..<5 {
      group.addTask {
        var answered: [String] = []
        while true {
          let key = UUID().uuidString
          guard case .applied? = await channel.commands.ask(Keyed(key: key, key)) else {
            return answered
          }
          answered.append(key)
        }
      }
    }
    return await group.reduce(into: []) { $0 += $1 }
  }
}
