import GRDB

/// The list in a file, for one server process: a second one would not hear of the first one's changes.
struct SQLiteStore: MemberStore {
  private let pool: DatabasePool
  /// Beside the file: SQLite's own locks are given up when somebody in the process closes the file.
  private let lock: FileLock
  private let patience = Patience()

  /// Grows with each change of `sqlite.sql`, and is stored in the file.
  private static let version = 1

  init(path: String) throws {
    guard let lock = try FileLock(path: "\(path)-lock") else {
      throw StoreFailure(
        changedNothing: true,
        reason: "\(path) is used by another server. Stop that one, or give this one another --file."
      )
    }
    self.lock = lock
    var configuration = Configuration()
    // Somebody may look at the file, or back it up, with other programs.
    configuration.busyMode = .callback(patience.goesOn)
    pool = try DatabasePool(path: path, configuration: configuration)
    try pool.writeWithoutTransaction { database in
      guard try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0 <= Self.version else {
        throw StoreFailure(
          changedNothing: true,
          reason: "A newer version of this program made \(path). Start that one.")
      }
      try database.execute(sql: String(decoding: PackageResources.sqlite_sql, as: UTF8.self))
      try database.execute(sql: "PRAGMA user_version = \(Self.version)")
    }
  }

  func commit(_ commands: [MemberCommand]) async throws -> Committed {
    try await patience.whileWanted {
      try await pool.writeWithoutTransaction { database in
        // There when only the COMMIT is left.
        var committed: Committed?
        do {
          try database.inTransaction(.immediate) {
            committed = try Self.carryOut(commands, in: database)
            return .commit
          }
        } catch let error as DatabaseError {
          // Before the COMMIT nothing is stored, nor when SQLite found no room or a lock. But after another
          // failure, as of the disk, the file may have the transaction all the same.
          let isRefusal = [.SQLITE_FULL, .SQLITE_BUSY].contains(error.resultCode)
          throw StoreFailure(changedNothing: committed == nil || isRefusal, reason: "\(error)")
        }
        return committed!
      }
    }
  }

  func roster() async throws -> Roster {
    try await pool.read { try Self.roster(in: $0) }
  }

  func rosterID() async throws -> String {
    try await pool.read {
      try String.fetchOne($0, sql: "SELECT id || '-' || revision FROM list") ?? ""
    }
  }

  func beginEpoch(after known: Roster) async throws {
    try await patience.whileWanted {
      try await pool.write {
        try $0.execute(
          sql: "UPDATE list SET id = lower(hex(randomblob(8))) WHERE id = ? AND revision < ?",
          arguments: [known.list, known.revision])
      }
    }
  }

  /// The file has no others: what there is now is all.
  func changesByOthers() -> AsyncThrowingStream<Void, any Error> {
    AsyncThrowingStream { $0.yield() }
  }

  private static func carryOut(
    _ commands: [MemberCommand], in database: Database
  ) throws -> Committed {
    let outcomes = try commands.map { try carryOut($0, in: database) }
    try database.execute(sql: "DELETE FROM command WHERE at < unixepoch() - 3600")
    return Committed(outcomes: outcomes, roster: try roster(in: database))
  }

  private static func carryOut(
    _ command: MemberCommand, in database: Database
  ) throws -> MemberOutcome {
    let known = try database.cachedStatement(sql: "SELECT outcome FROM command WHERE key = ?")
    if let outcome = try MemberOutcome.fetchOne(known, arguments: [command.key]) { return outcome }
    let add = "INSERT INTO member (name) SELECT ? WHERE (SELECT count(*) FROM member) < ?"
    let (change, arguments, otherwise): (String, StatementArguments, MemberOutcome) =
      switch command.action {
      case .add(let name): (add, [name, listCapacity], .listIsFull)
      case .remove(let id): ("DELETE FROM member WHERE id = ?", [id], .unknownMember)
      case .removeAll: ("DELETE FROM member", [], .done)
      }
    try database.cachedStatement(sql: change).execute(arguments: arguments)
    let outcome = database.changesCount > 0 ? .done : otherwise
    // What was refused has changed nothing, and leaves nothing: refusals must not fill the disk.
    guard outcome == .done else { return outcome }
    try database.execute(sql: "UPDATE list SET revision = revision + 1")
    try database.cachedStatement(sql: "INSERT INTO command (key, outcome) VALUES (?, ?)")
      .execute(arguments: [command.key, outcome])
    return outcome
  }

  private static func roster(in database: Database) throws -> Roster {
    let list = try Row.fetchOne(database, sql: "SELECT id, revision FROM list")!
    let members = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT id, name FROM member ORDER BY id"))
    return Roster(
      list: list["id"], revision: list["revision"],
      members: members.map { .init(id: $0["id"], name: $0["name"]) })
  }
}

extension MemberOutcome: DatabaseValueConvertible {}
