import AsyncChannels
public import Foundation
public import SharedChannels

/// A log in a PostgreSQL database, for any number of machines: one with a schema of its own, or one of ``PostgresLogs``.
/// An entry is durable as PostgreSQL is set up: on its disk, and on the standbys of `synchronous_standby_names`.
///
/// It has three connections, or shares those of its ``PostgresLogs``: one listens, at once, and when they are needed, one
/// appends and one reads. They are made again when they are lost. Each has a thread of its own. A pooler must keep them
/// (session mode): `LISTEN` and `statement_timeout` belong to a connection. If it does not, calls fail with
/// ``LogFailure/unreachable(_:)``, which says so.
///
/// **Limits of time**: when its name is found, each host of the address has 3 seconds to connect, unless the address or
/// `PGCONNECT_TIMEOUT` says otherwise. The system limits how long it looks for a name; a call that is cancelled meanwhile
/// leaves a thread behind until then. An append waits 3 seconds for the log's lock, and each call takes at most 10
/// seconds. After that it fails with ``LogFailure/unreachable(_:)``.
public struct PostgresLog: SharedLog {
  private let name: String
  private let logs: PostgresLogs
  private let news: LogNews.Following

  /// What an administrator runs for a role that may not create it. It is one transaction.
  ///
  /// - Parameter schema: Traps if it is not a name as ``init(_:schema:pollInterval:)`` wants it.
  public static func definition(schema: String = "shared_log") -> String {
    """
    BEGIN;
    SET LOCAL statement_timeout = 0;
    \(PostgresSchema(checked: schema).text)
    COMMIT;

    """
  }

  /// Makes the schema if it is missing. It is that of ``PostgresLogs`` with this log, "log".
  ///
  /// - Parameters:
  ///   - address: Where the database is.
  ///   - schema: Which log of the database: a lower-case letter, then up to 50 lower-case letters, digits and `_`.
  ///     Anything else traps.
  ///   - pollInterval: How often a reader looks for entries that no notification told of. Traps if it is not positive.
  public init(
    _ address: PostgresAddress, schema: String = "shared_log",
    pollInterval: Duration = .seconds(10)
  ) {
    self.init("log", PostgresLogs(address, schema: schema, pollInterval: pollInterval))
  }

  init(_ name: String, _ logs: PostgresLogs) {
    (self.name, self.logs, news) = (name, logs, logs.news.follow(name))
  }

  public func append(_ batch: [Keyed<Data>]) async throws -> [Receipt] {
    guard !batch.isEmpty else { return [] }
    let append = LogAppend(batch: batch, following: news)
    return try await answer(of: logs.appends.inlet.ask(append)).map(\.receipt)
  }

  public func entries(after known: Position?) async throws -> [Logged<Data>] {
    for await _ in news.changes.outlet.subscribe(buffering: .bufferingNewest(1)) {
      if let own = news.takeOwn(after: known) { return own }
      if news.hasAll(upTo: known) { continue }
      let read = LogRead(known: known, following: news)
      switch try await answer(of: logs.reads.inlet.ask(read)) {
      case nil: try logs.news.requireListener()
      case .entries(let entries, isLast: _)?: return entries
      case .otherEpoch(let epoch)?: throw LogFailure.otherEpoch(epoch)
      case .gap(let index, let found)?: throw LogFailure.gap(after: index, found: found)
      case .isLost(let lost)?:
        let epoch = try await call("begin_epoch", with: lost, tells: true) { $0.text(0, 0) }
        throw LogFailure.otherEpoch(epoch)
      }
    }
    throw CancellationError()
  }

  public func end() async throws -> Position {
    let end = try await call("last") { $0.position(0) }
    news.read(upToEnd: end)
    return end
  }

  public func snapshot(upToVersion version: Int) async throws -> Snapshot? {
    try await call("newest_snapshot", .integer(version)) { $0.snapshot }
  }

  public func keep(_ snapshot: Snapshot) async throws {
    try await call(
      "keep", .integer(snapshot.version), with: snapshot.position, .bytes(snapshot.data)
    ) { _ in }
  }

  public func blank(_ position: Position) async throws {
    defer { news.forgetOwn() }
    try await call("blank", with: position, tells: true) { _ in }
  }

  public func compact(before index: Int64, behind snapshot: Position) async throws -> Int {
    defer { news.forgetOwn() }
    return try await call("compact", .integer(index), with: snapshot) { Int($0.integer(0, 0)) }
  }

  public func delete(_ indexes: [Int64], behind snapshot: Position) async throws -> Bool {
    defer { news.forgetOwn() }
    return try await call("delete", .integers(indexes), with: snapshot, tells: true) {
      $0.integer(0, 0) != 0
    }
  }

  /// - Parameters:
  ///   - values: What the function gets after the log's name.
  ///   - position: What it gets then.
  ///   - more: And what after that.
  ///   - tells: Whether all machines, and this one, have to read.
  private func call<Value: Sendable>(
    _ function: String, _ values: PostgresValue..., with position: Position? = nil,
    _ more: PostgresValue..., tells: Bool = false,
    read: @escaping @Sendable (PostgresRows) throws -> Value
  ) async throws -> Value {
    let place = position.map { position -> [PostgresValue] in
      [.text(position.epoch), .integer(position.index), .integer(position.mark)]
    }
    var calls = [PostgresCall(function, [.text(name)] + values + (place ?? []) + more)]
    if tells { calls.append(.tell(from: "")) }
    // Of that type, since `read` made it.
    return try await answer(of: logs.calls.inlet.ask(LogCall(calls: calls, read: read))) as! Value
  }

  /// There is none if this task was cancelled.
  private func answer<Value>(of reply: Result<Value, any Error>?) throws -> Value {
    guard let reply else {
      try Task.checkCancellation()
      throw LogFailure.unreachable("the request to the database was dropped")
    }
    return try reply.get()
  }
}
