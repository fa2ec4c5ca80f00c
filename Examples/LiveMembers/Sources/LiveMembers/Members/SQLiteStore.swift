import AsyncChannels
import GRDB

/// The list in a file, for one server process.
struct SQLiteStore: MemberStore {
  private let pool: DatabasePool

  init(path: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    pool = try DatabasePool(path: path, configuration: configuration)
    // Not the pool's NORMAL: what was acknowledged is there after a power failure, too.
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    try pool.write { try $0.execute(sql: Self.schema) }
  }

  func commit(_ commands: [MemberCommand]) async throws -> Committed {
    try await pool.write { database in
      let outcomes = try commands.map { try Self.carryOut($0, in: database) }
      try database.cachedStatement(sql: "DELETE FROM command WHERE at < unixepoch() - 86400").execute()
      return Committed(outcomes: outcomes, roster: try Self.roster(in: database))
    }
  }

  func roster() async throws -> Roster {
    try await pool.read { try Self.roster(in: $0) }
  }

  /// The file has no others.
  func followOthers(_ changed: @Sendable () async throws -> Void) async throws {
    try await changed()
    for await _ in Outlet<Void>.never {}
  }

  private static func carryOut(
    _ command: MemberCommand, in database: Database
  ) throws -> MemberOutcome {
    if let known = try String.fetchOne(
      database.cachedStatement(sql: "SELECT outcome FROM command WHERE key = ?"),
      arguments: [command.key]), let outcome = MemberOutcome(rawValue: known)
    {
      return outcome
    }
    let outcome = try change(command.action, in: database)
    try database.cachedStatement(
      sql: "INSERT INTO command (key, outcome, at) VALUES (?, ?, unixepoch())"
    ).execute(arguments: [command.key, outcome.rawValue])
    return outcome
  }

  private static func change(
    _ action: MemberCommand.Action, in database: Database
  ) throws -> MemberOutcome {
    switch action {
    case .add(let name):
      try database.cachedStatement(
        sql: """
          INSERT INTO member (name) SELECT ? WHERE (SELECT count(*) FROM member) < \(listCapacity)
          """
      ).execute(arguments: [name])
      guard database.changesCount > 0 else { return .listIsFull }
    case .remove(let id):
      try database.cachedStatement(sql: "DELETE FROM member WHERE id = ?").execute(arguments: [id])
      guard database.changesCount > 0 else { return .unknownMember }
    case .removeAll:
      try database.cachedStatement(sql: "DELETE FROM member").execute()
    }
    try database.cachedStatement(sql: "UPDATE list SET revision = revision + 1").execute()
    return .done
  }

  private static func roster(in database: Database) throws -> Roster {
    let list = try Row.fetchOne(database, sql: "SELECT id, revision FROM list")!
    let members = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT id, name FROM member ORDER BY id"))
    return Roster(
      list: list["id"], revision: list["revision"],
      members: members.map { .init(id: $0["id"], name: $0["name"]) })
  }

  private static let schema = """
    CREATE TABLE IF NOT EXISTS list (id TEXT NOT NULL, revision INTEGER NOT NULL);
    INSERT INTO list SELECT lower(hex(randomblob(8))), 0 WHERE NOT EXISTS (SELECT 1 FROM list);
    CREATE TABLE IF NOT EXISTS member (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS command (key TEXT PRIMARY KEY, outcome TEXT NOT NULL, at INTEGER NOT NULL);
    CREATE INDEX IF NOT EXISTS command_at ON command (at);
    """
}
