public import Foundation
public import SharedChannels

/// A log in a schema of a PostgreSQL database, for any number of machines. An entry is durable as PostgreSQL is set
/// up: on its disk, and on the standbys of `synchronous_standby_names`.
///
/// It has two connections, made when they are needed and made again when they are lost: one appends, and one reads and
/// listens. Each has a thread of its own. A pooler must keep them (session mode): `LISTEN` and `statement_timeout`
/// belong to a connection. If it does not, calls fail with ``LogFailure/unreachable(_:)``, which says so.
///
/// **Limits of time**: when its name is found, each host of the address has 3 seconds to connect, unless the address or
/// `PGCONNECT_TIMEOUT` says otherwise. The system limits how long it looks for a name; a call that is cancelled meanwhile
/// leaves a thread behind until then. An append waits 3 seconds for the log's lock, and each call takes at most 10
/// seconds. After that it fails with ``LogFailure/unreachable(_:)``.
public struct PostgresLog: SharedLog {
  private let appending: PostgresSession
  private let reading: PostgresSession
  private let pollInterval: Duration

  /// What an administrator runs for a role that may not create it.
  ///
  /// - Parameter schema: Traps if it is not a name as ``init(_:schema:pollInterval:)`` wants it.
  public static func definition(schema: String = "shared_log") -> String {
    PostgresSchema(checked: schema).text
  }

  /// Connects with the first call, and makes the schema if it is missing.
  ///
  /// - Parameters:
  ///   - address: Where the database is.
  ///   - schema: Which log of the database: a lower-case letter, then up to 50 lower-case letters, digits and `_`.
  ///     Anything else traps.
  ///   - pollInterval: How often a reader looks for entries that no notification told of.
  public init(
    _ address: PostgresAddress, schema: String = "shared_log",
    pollInterval: Duration = .seconds(10)
  ) {
    let schema = PostgresSchema(checked: schema)
    appending = PostgresSession(address, schema)
    reading = PostgresSession(address, schema, isListening: true)
    self.pollInterval = pollInterval
  }

  public func append(_ batch: [Keyed<Data>]) async throws -> [Receipt] {
    guard !batch.isEmpty else { return [] }
    let mark = Int64.random(in: 1 ... .max)
    let calls = [
      PostgresCall(
        "append", .texts(batch.map(\.key)), .bytes(batch.map(\.value)), .integer(mark)),
      PostgresCall("make_durable"), .tell,
    ]
    return try await appending.call(calls) { rows in
      rows.indices.map {
        Receipt(position: rows.position($0), isRepeated: rows.integer($0, 3) != 0)
      }
    }
  }

  public func entries(after position: Position?) async throws -> [Logged<Data>] {
    switch try await reading.page(after: position, every: pollInterval) {
    case .entries(let entries, isLast: _): return entries
    case .otherEpoch(let epoch): throw LogFailure.otherEpoch(epoch)
    case .gap(let index, let found): throw LogFailure.gap(after: index, found: found)
    case .isLost(let lost):
      let begin = PostgresCall(
        "begin_epoch", .text(lost.epoch), .integer(lost.index), .integer(lost.mark))
      throw LogFailure.otherEpoch(try await appending.call([begin]) { $0.text(0, 0) })
    }
  }

  public func end() async throws -> Position {
    try await appending.call([PostgresCall("last")]) { $0.position(0) }
  }

  public func snapshot(upToVersion version: Int) async throws -> Snapshot? {
    try await appending.call([PostgresCall("newest_snapshot", .integer(version))]) { $0.snapshot }
  }

  public func keep(_ snapshot: Snapshot) async throws {
    let position = snapshot.position
    let keep = PostgresCall(
      "keep", .integer(snapshot.version), .text(position.epoch), .integer(position.index),
      .integer(position.mark), .bytes(snapshot.data))
    try await appending.call([keep]) { _ in }
  }

  public func blank(_ position: Position) async throws {
    let blank = PostgresCall(
      "blank", .text(position.epoch), .integer(position.index), .integer(position.mark))
    try await appending.call([blank]) { _ in }
  }

  public func compact(before index: Int64, behind snapshot: Position) async throws -> Int {
    let compact = PostgresCall(
      "compact", .integer(index), .text(snapshot.epoch), .integer(snapshot.index),
      .integer(snapshot.mark))
    return try await appending.call([compact]) { Int($0.integer(0, 0)) }
  }
}
