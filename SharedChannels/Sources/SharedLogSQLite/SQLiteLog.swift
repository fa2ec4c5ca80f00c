import AsyncChannels
public import Foundation
import GRDB
public import SharedChannels

/// A log in an SQLite file, for the processes of one machine. An entry is durable when it is appended, also after
/// a power failure, as far as the disk keeps what it says.
///
/// Do not put the file on a network file system. To restore a backup, stop all processes that have it open.
///
/// An append waits five seconds for a file that another program has locked. After that the file is refused: commands are
/// not stored.
///
/// A reader that waits hears of this handle's appends immediately. For those of other handles and processes it looks
/// at the file once per `pollInterval`.
public struct SQLiteLog: SharedLog {
  private let pool: DatabasePool
  private let pollInterval: Duration
  private let patience = Patience()
  /// How often this handle has appended.
  private let appends = CurrentValue(0)
  private static let pageCount = 500
  private static let pageBytes = 4 << 20

  /// Opens the file, and makes the log if it is missing.
  ///
  /// - Throws: ``LogFailure/refused(_:)`` with SQLite's reason.
  public init(path: String, pollInterval: Duration = .milliseconds(20)) throws {
    self.pollInterval = pollInterval
    var configuration = Configuration()
    configuration.busyMode = .callback(patience.goesOn)
    do {
      pool = try Self.openPool(path, configuration)
      // Not the NORMAL of a pool: what was acknowledged is there after a power failure, too.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      let schema = String(decoding: PackageResources.schema_sql, as: UTF8.self)
      try pool.write { try $0.execute(sql: schema) }
    } catch {
      throw LogFailure.refused("\(path): \(error)")
    }
  }

  /// SQLite's own waiting for locks leaves out the moment in which a new file gets its write-ahead log.
  private static func openPool(_ path: String, _ configuration: Configuration) throws
    -> DatabasePool
  {
    let deadline = ContinuousClock.now + .seconds(5)
    while true {
      do {
        return try DatabasePool(path: path, configuration: configuration)
      } catch let error as DatabaseError
        where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < deadline
      {
        Thread.sleep(forTimeInterval: .random(in: 0.001...0.02))
      }
    }
  }

  public func append(_ batch: [Keyed<Data>]) async throws -> [Receipt] {
    let receipts = try await write { database in
      let mark = Int64.random(in: 1 ... .max)
      let epoch = try Self.epoch(in: database)
      return try batch.map { try Self.append($0, mark: mark, epoch: epoch, in: database) }
    }
    appends.update { $0 += 1 }
    return receipts
  }

  public func entries(after position: Position?) async throws -> [Logged<Data>] {
    while true {
      let seen = appends.value
      let entries = try await refusing {
        try await pool.read { try Self.page(after: position, in: $0) }
      }
      guard let entries else { throw LogFailure.otherEpoch(try await beginEpoch(after: position)) }
      if !entries.isEmpty { return entries }
      try await waitForAppend(after: seen)
    }
  }

  public func end() async throws -> Position {
    try await refusing {
      try await pool.read { database in
        let row = try Row.fetchOne(
          database, sql: #"SELECT "index", mark FROM entry ORDER BY "index" DESC LIMIT 1"#)
        return Position(
          epoch: try Self.epoch(in: database), index: row?["index"] ?? 0, mark: row?["mark"] ?? 0)
      }
    }
  }

  public func snapshot(upToVersion version: Int) async throws -> Snapshot? {
    try await refusing {
      try await pool.read { database in
        let sql = "SELECT * FROM snapshot WHERE version <= ? ORDER BY version DESC LIMIT 1"
        guard let row = try Row.fetchOne(database, sql: sql, arguments: [version]) else {
          return nil
        }
        let position = Position(
          epoch: try Self.epoch(in: database), index: row["index"], mark: row["mark"])
        return Snapshot(version: row["version"], position: position, data: row["data"])
      }
    }
  }

  public func keep(_ snapshot: Snapshot) async throws {
    let position = snapshot.position
    let sql = #"""
      INSERT INTO snapshot (version, "index", mark, data)
        SELECT ?, "index", mark, ? FROM entry
        WHERE "index" = ? AND mark = ? AND EXISTS (SELECT 1 FROM log WHERE epoch = ?)
        ON CONFLICT (version) DO UPDATE
          SET "index" = excluded."index", mark = excluded.mark, data = excluded.data
          WHERE excluded."index" > snapshot."index"
      """#
    try await write {
      try $0.execute(
        sql: sql,
        arguments: [
          snapshot.version, snapshot.data, position.index, position.mark, position.epoch,
        ])
    }
  }

  public func blank(_ position: Position) async throws {
    try await write { database in
      try database.execute(
        sql: #"""
          UPDATE entry SET data = x'' WHERE "index" = ? AND mark = ?
            AND EXISTS (SELECT 1 FROM log WHERE epoch = ?)
          """#,
        arguments: [position.index, position.mark, position.epoch])
      guard database.changesCount > 0 else { return }
      try database.execute(
        sql: #"DELETE FROM snapshot WHERE "index" >= ?"#, arguments: [position.index])
      let isWhole = #"SELECT EXISTS (SELECT 1 FROM entry WHERE "index" = 1)"#
      guard try database.changesCount == 0 || Bool.fetchOne(database, sql: isWhole)! else {
        throw LogFailure.refused("a version could not begin anew: its snapshot has the entry")
      }
      try Self.setNewEpoch(after: position, in: database)
    }
    appends.update { $0 += 1 }
  }

  public func compact(before index: Int64, behind snapshot: Position) async throws -> Int {
    try await write { database in
      guard try Self.hasSnapshot(at: snapshot, in: database),
        let first = try Int64.fetchOne(database, sql: #"SELECT min("index") FROM entry"#)
      else { return 0 }
      try database.execute(
        sql: #"""
          DELETE FROM entry WHERE "index" < min(?, ?, (
            SELECT max("index") + 1 FROM (
              SELECT "index", sum(length(data)) OVER (ORDER BY "index") - length(data) AS bytes_before
              FROM (SELECT "index", data FROM entry WHERE "index" >= ? ORDER BY "index" LIMIT 1000))
            WHERE bytes_before < ?))
          """#, arguments: [index, snapshot.index, first, Self.pageBytes])
      let count = database.changesCount
      try database.execute(
        sql: #"DELETE FROM snapshot WHERE "index" < (SELECT min("index") FROM entry)"#)
      return count
    }
  }

  public func delete(_ indexes: [Int64], behind snapshot: Position) async throws -> Bool {
    defer { appends.update { $0 += 1 } }
    return try await write { database in
      guard try Self.hasSnapshot(at: snapshot, in: database) else { return false }
      let deletion = try database.makeStatement(sql: #"DELETE FROM entry WHERE "index" = ?"#)
      for index in [1] + indexes where index < snapshot.index {
        try deletion.execute(arguments: [index])
      }
      try database.execute(
        sql: #"DELETE FROM snapshot WHERE "index" < ?"#, arguments: [snapshot.index])
      try Self.setNewEpoch(after: snapshot, in: database)
      return true
    }
  }

  private static func hasSnapshot(at place: Position, in database: Database) throws -> Bool {
    let sql = #"""
      SELECT EXISTS (SELECT 1 FROM log JOIN snapshot JOIN entry USING ("index", mark)
        WHERE epoch = ? AND "index" = ? AND mark = ?)
      """#
    return try Bool.fetchOne(
      database, sql: sql, arguments: [place.epoch, place.index, place.mark])!
  }

  /// One transaction, which ends its wait for the file when the task is cancelled.
  private func write<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    let wish = Patience.Wish()
    return try await withTaskCancellationHandler {
      try await refusing {
        try await pool.writeWithoutTransaction { [patience] database in
          patience.begin(wish)
          var value: Value?
          try database.inTransaction(.immediate) {
            value = try body(database)
            return .commit
          }
          return value!
        }
      }
    } onCancel: {
      wish.end()
    }
  }

  /// When SQLite says that a transaction failed, it was rolled back. But a disk that failed may have written it.
  private func refusing<Value>(_ transaction: () async throws -> Value) async throws -> Value {
    do {
      return try await transaction()
    } catch let error as DatabaseError {
      try Task.checkCancellation()
      let isKnown = error.resultCode != .SQLITE_IOERR
      throw isKnown ? LogFailure.refused("\(error)") : LogFailure.unreachable("\(error)")
    }
  }

  private static func epoch(in database: Database) throws -> String {
    try String.fetchOne(database.cachedStatement(sql: "SELECT epoch FROM log")) ?? ""
  }

  private static func append(
    _ element: Keyed<Data>, mark: Int64, epoch: String, in database: Database
  ) throws -> Receipt {
    let known = try database.cachedStatement(
      sql: #"SELECT "index", mark FROM entry WHERE key = ?"#)
    if let row = try Row.fetchOne(known, arguments: [element.key]) {
      let position = Position(epoch: epoch, index: row["index"], mark: row["mark"])
      return Receipt(position: position, isRepeated: true)
    }
    // The key of the row is one more than the largest: there are no gaps, since nothing is deleted at the end.
    try database.cachedStatement(sql: "INSERT INTO entry (mark, key, data) VALUES (?, ?, ?)")
      .execute(arguments: [mark, element.key, element.value])
    let position = Position(epoch: epoch, index: database.lastInsertedRowID, mark: mark)
    return Receipt(position: position, isRepeated: false)
  }

  /// Nil if the log does not have the position.
  private static func page(
    after known: Position?, in database: Database
  ) throws -> [Logged<Data>]? {
    let epoch = try Self.epoch(in: database)
    if let known {
      let row = try Row.fetchOne(
        database.cachedStatement(
          sql: #"SELECT "index", mark FROM entry WHERE "index" >= ? ORDER BY "index" LIMIT 1"#),
        arguments: [known.index])
      guard known.epoch == epoch else { return nil }
      if known.index > 0 {
        guard let row else { return nil }
        if row["index"] > known.index {
          throw LogFailure.gap(after: known.index, found: row["index"])
        }
        guard row["mark"] == known.mark else { return nil }
      }
    }
    let rows = try Row.fetchCursor(
      database.cachedStatement(
        sql:
          #"SELECT "index", mark, key, data FROM entry WHERE "index" > ? ORDER BY "index" LIMIT ?"#
      ),
      arguments: [known?.index ?? 0, pageCount])
    var (entries, bytes) = ([Logged<Data>](), 0)
    while bytes < pageBytes, let row = try rows.next() {
      let position = Position(epoch: epoch, index: row["index"], mark: row["mark"])
      let data: Data = row["data"]
      entries.append(Logged(position: position, key: row["key"], value: data))
      bytes += data.count
    }
    return entries
  }

  /// The log's epoch, which is another than the position's. Whoever comes first makes it.
  private func beginEpoch(after position: Position?) async throws -> String {
    try await write { database in
      if let position { try Self.setNewEpoch(after: position, in: database) }
      return try Self.epoch(in: database)
    }
  }

  private static func setNewEpoch(after position: Position, in database: Database) throws {
    try database.execute(
      sql: "UPDATE log SET epoch = lower(hex(randomblob(16))) WHERE epoch = ?",
      arguments: [position.epoch])
  }

  /// Returns when this handle has appended since, or it is time to look again.
  private func waitForAppend(after seen: Int) async throws {
    await withTaskGroup { group in
      group.addTask { [appends] in
        for await count in appends.outlet where count != seen { return }
      }
      group.addTask { [pollInterval] in try? await Task.sleep(for: pollInterval) }
      await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
  }
}
