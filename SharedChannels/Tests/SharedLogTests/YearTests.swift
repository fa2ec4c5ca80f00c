import AsyncChannels
import Foundation
import GRDB
import SharedChannels
import SharedLogPostgreSQL
import SharedLogSQLite
import XCTest

/// Four billion commands, as a year has at 150 a second, of which the log keeps the last. In each month, a few are asked,
/// and the log is moved forward by the others.
final class YearTests: XCTestCase {
  /// In each month. A snapshot comes with the last.
  private let asked = 6_000
  private let interval = 1_000
  private let kept = 2_000

  func test_overSQLiteDiskAndStartStayTheSame() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
    }
    func inDatabase<Value>(_ body: (Database) throws -> Value) throws -> Value {
      try DatabaseQueue(path: path).write(body)
    }
    try await requireAYear {
      try SQLiteLog(path: path)
    } move: { month in
      try inDatabase {
        try $0.execute(
          sql: """
            INSERT INTO entry SELECT max("index") + 400000000 - \(asked), 1, 'month \(month)', '' FROM entry;
            UPDATE snapshot SET mark = 1, "index" = (SELECT max("index") FROM entry);
            """)
      }
    } size: {
      try inDatabase {
        try Int.fetchOne(
          $0, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")!
      }
    }
  }

  func test_overPostgreSQLDiskAndStartStayTheSame() async throws {
    guard let address = ProcessInfo.processInfo.environment["SHARED_LOG_POSTGRES"] else {
      throw XCTSkip("there is no server")
    }
    let schema = "year" + UUID().uuidString.lowercased().filter(\.isHexDigit).prefix(16)
    let engine = PostgresEngine(address: address)
    try await requireAYear {
      PostgresLog(try PostgresAddress(address), schema: schema)
    } move: { month in
      try engine.query(
        """
        INSERT INTO \(schema).entry SELECT 'log', max(index) + 400000000 - \(asked), 1, 'month \(month)', '' FROM \(schema).entry;
        UPDATE \(schema).snapshot SET mark = 1, index = (SELECT max(index) FROM \(schema).entry);
        """)
    } size: {
      // The server does it by itself, some time.
      try execute("psql", ["-qAt", "-c", "VACUUM \(schema).entry, \(schema).snapshot", address])
      let size = try engine.query(
        "SELECT pg_total_relation_size('\(schema).entry') + pg_total_relation_size('\(schema).snapshot')"
      )
      return try XCTUnwrap(Int(size.trimmingCharacters(in: .newlines)))
    }
  }

  private func requireAYear(
    _ makeLog: () throws -> any SharedLog, move: (Int) throws -> Void, size: () throws -> Int
  ) async throws {
    var sizes: [Int] = []
    for month in 1...12 {
      let (asked, kept) = (asked, Int64(kept))
      let channel = SharedChannel(
        Tally(), log: try makeLog(), snapshotInterval: interval, history: Int(kept))
      // Not the channel's handle, whose reads wait.
      let log = try makeLog()
      async let running: Void = channel.run()
      try await within(.seconds(60)) {
        for await health in channel.health where health.isServing { break }
        let applied = await channel.counts.applied
        XCTAssertEqual(applied, 0, "a start reads the snapshot alone")
        let last = try await Self.ask(asked, month, channel)
        XCTAssertEqual(last.reply, month * asked)
        XCTAssertEqual(last.index, Int64(month - 1) * 400_000_000 + Int64(asked))
        let first = max(1, last.index - kept)
        while try await log.entries(after: nil)[0].position.index != first {
          try await Task.sleep(for: .milliseconds(10))
        }
      } orSay: {
        "month \(month) is not over: \(channel.health.value)"
      }
      channel.finish()
      await running
      sizes.append(try size())
      try move(month)
    }
    print("bytes: \(sizes)")
    XCTAssertLessThan(sizes.suffix(6).max()!, 2 * sizes[1])
  }

  /// The reply and the place of the last of so many.
  private static func ask(
    _ count: Int, _ month: Int, _ channel: SharedChannel<Tally>
  ) async throws -> (reply: Int, index: Int64) {
    try await withThrowingTaskGroup(of: (Int, Int64).self) { group in
      for number in 1...count {
        if number > 500 { _ = try await group.next() }
        group.addTask {
          guard
            case .applied(let reply, let position)? = await channel.commands.ask(
              Keyed(key: "\(month) \(number)", ""))
          else { throw LogFailure.unreachable("command \(number) was not applied") }
          return (reply, position.index)
        }
      }
      return try await group.reduce((0, 0)) { (max($0.0, $1.0), max($0.1, $1.1)) }
    }
  }
}
