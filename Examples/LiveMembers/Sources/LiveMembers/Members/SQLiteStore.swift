import AsyncChannels
import GRDB

/// The list in a file, for one server process.
struct SQLiteStore: MemberStore {
  private let pool: DatabasePool

  init(path: String) throws {
    pool = try DatabasePool(path: path)
    // Not the pool's NORMAL: what was acknowledged is there after a power failure, too.
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    let schema = String(decoding: PackageResources.sqlite_sql, as: UTF8.self)
    try pool.write { try $0.execute(sql: schema) }
  }

  func commit(_ commands: [MemberCommand]) async throws -> Committed {
    try await pool.write { database in
      let outcomes = try commands.map { try Self.carryOut($0, in: database) }
      try database.execute(sql: "DELETE FROM command WHERE at < unixepoch() - 86400")
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
    let known = try database.cachedStatement(sql: "SELECT outcome FROM command WHERE key = ?")
    if let outcome = try String.fetchOne(known, arguments: [command.key]) {
      return MemberOutcome(rawValue: outcome)!
    }
    let outcome = try change(command.action, in: database)
    try database.cachedStatement(sql: "INSERT INTO command (key, outcome) VALUES (?, ?)")
      .execute(arguments: [command.key, outcome.rawValue])
    return outcome
  }

  private static func change(
    _ action: MemberCommand.Action, in database: Database
  ) throws -> MemberOutcome {
    switch action {
    case .add(let name):
      let count = try database.cachedStatement(sql: "SELECT count(*) FROM member")
      guard try Int.fetchOne(count)! < listCapacity else { return .listIsFull }
      try database.cachedStatement(sql: "INSERT INTO member (name) VALUES (?)")
        .execute(arguments: [name])
    case .remove(let id):
      try database.execute(sql: "DELETE FROM member WHERE id = ?", arguments: [id])
      guard database.changesCount > 0 else { return .unknownMember }
    case .removeAll:
      try database.execute(sql: "DELETE FROM member")
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
}
