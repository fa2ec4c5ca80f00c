import Foundation

/// The list in PostgreSQL, for any number of server processes. What it does is in `postgres.sql`.
struct PostgresStore: MemberStore {
  private let writing: PostgresConnection
  private let listening: PostgresConnection

  init(url: String) async throws {
    writing = PostgresConnection(url: url)
    listening = PostgresConnection(url: url)
    try await writing.run(script: String(decoding: PackageResources.postgres_sql, as: UTF8.self))
  }

  func commit(_ commands: [MemberCommand]) async throws -> Committed {
    let commands = String(decoding: try JSONEncoder().encode(commands), as: UTF8.self)
    return try await decode(
      "SELECT live_members.commit_commands($1::jsonb, $2::int)", [commands, "\(listCapacity)"])
  }

  func roster() async throws -> Roster {
    try await decode("SELECT live_members.roster()")
  }

  func followOthers(_ changed: @Sendable () async throws -> Void) async throws {
    try await listening.listen(to: "live_members", changed)
  }

  private func decode<Value: Decodable>(
    _ statement: String, _ parameters: [String] = []
  ) async throws -> Value {
    let text = try await writing.query(statement, parameters) ?? ""
    return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }
}
