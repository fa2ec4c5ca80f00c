import CPostgres
import Foundation
import SharedChannels

/// A connection to PostgreSQL. Its calls block their thread, but none without end: a call returns when its
/// task is cancelled, or the server was silent for too long. Then the connection is closed.
///
/// The calls of `libpq` that wait do not know of either, so this uses those that do not wait, and `poll`. Only to connect
/// there is no such call that finds names, and gives each of several hosts its time: that has a thread of its own, for
/// which nobody has to wait.
final class PostgresConnection {
  private let handle: OpaquePointer?
  private let isListening: Bool
  /// The process of the server that has carried out the first statement.
  private(set) var serverProcess: Int64?
  /// Somewhat more than the server's own limit.
  private static let statementLimit = Duration.seconds(12)

  /// - Parameter channel: To whose notifications it listens; nil for none.
  init(_ address: PostgresAddress, listeningTo channel: String? = nil) throws {
    isListening = channel != nil
    handle = try PostgresAttempt(address).connection()
    guard isConnected else { throw failure() }
    // "relation already exists, skipping" is nothing for standard error.
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    PQsetnonblocking(handle, 1)
    // The server ends a statement even if it does not notice that this connection was closed.
    try execute("SET statement_timeout = '10s'")
    // A snapshot from before the lock would not see what was appended meanwhile.
    try execute("SET default_transaction_isolation = 'read committed'")
    if let channel { try execute("LISTEN \(channel)") }
  }

  deinit {
    PQfinish(handle)
  }

  var isConnected: Bool { PQstatus(handle) == CONNECTION_OK }

  /// Carries out one or several statements, which are one transaction.
  func execute(_ statements: String) throws {
    let deadline = ContinuousClock.now + Self.statementLimit
    guard PQsendQuery(handle, statements) == 1 else { throw failure() }
    try flush(until: deadline)
    var refusal: LogFailure?
    while let result = try nextResult(until: deadline) {
      if let failure = failure(of: PostgresRows(result)) { refusal = failure }
    }
    if let refusal { throw refusal }
  }

  /// Sends statements together, each of which is a transaction of its own, and waits until all have ended. One that
  /// fails does not keep the next from being carried out.
  func query(_ statements: [PostgresStatement]) throws -> [Result<PostgresRows, LogFailure>] {
    let deadline = ContinuousClock.now + Self.statementLimit
    guard PQenterPipelineMode(handle) == 1 else { throw failure() }
    for statement in statements {
      try send(statement)
      guard PQpipelineSync(handle) == 1 else { throw failure() }
    }
    try flush(until: deadline)
    let results = try statements.map { _ in try nextAnswer(until: deadline) }
    guard PQexitPipelineMode(handle) == 1 else { throw failure() }
    for case .success(let rows) in results { try requireTheSameProcess(rows) }
    return results
  }

  /// Behind a pooler in transaction mode, transactions are those of several connections of the server. Notifications
  /// then get lost, or go to a connection that does not listen.
  private func requireTheSameProcess(_ rows: PostgresRows) throws {
    guard let process = rows.serverProcess else { return }
    let isStray = !isListening && takeNotifications() != nil
    if isStray || process != serverProcess ?? process {
      throw LogFailure.unreachable(
        "a pooler before PostgreSQL does not keep connections: let it do so (session mode), or go around it"
      )
    }
    serverProcess = process
  }

  /// Waits until a notification comes or has come, and gives the texts of all; nil if it is too late.
  func waitForNotifications(until deadline: ContinuousClock.Instant) throws -> [String]? {
    repeat {
      try takeInput()
      if let texts = takeNotifications() { return texts }
    } while try isReady(for: POLLIN, until: deadline)
    return nil
  }

  /// The texts of all notifications that came since the last call; nil if there were none.
  private func takeNotifications() -> [String]? {
    var texts: [String] = []
    while let notification = PQnotifies(handle) {
      texts.append(String(cString: notification.pointee.extra))
      PQfreemem(notification)
    }
    return texts.isEmpty ? nil : texts
  }

  private func send(_ statement: PostgresStatement) throws {
    let isSent = PostgresValue.withPointers(to: statement.values) {
      types, pointers, lengths, formats in
      PQsendQueryParams(
        handle, statement.text, Int32(types.count), types, pointers, lengths, formats, 1)
    }
    guard isSent == 1 else { throw failure() }
  }

  private func flush(until deadline: ContinuousClock.Instant) throws {
    while PQflush(handle) == 1 {
      try requireReady(for: POLLIN | POLLOUT, until: deadline)
      try takeInput()
    }
  }

  /// What a statement of several gives: its rows or its failure, nothing, and the end of its transaction.
  private func nextAnswer(
    until deadline: ContinuousClock.Instant
  ) throws -> Result<PostgresRows, LogFailure> {
    var answer: Result<PostgresRows, LogFailure>?
    while true {
      guard let result = try nextResult(until: deadline) else {
        // Without a connection, nothing else comes. (libpq has had faults after which nothing came either.)
        if !isConnected || ContinuousClock.now > deadline { throw failure() }
        continue
      }
      let rows = PostgresRows(result)
      if rows.status == PGRES_PIPELINE_SYNC { break }
      answer = failure(of: rows).map { .failure($0) } ?? .success(rows)
    }
    guard let answer else { throw failure() }
    return answer
  }

  private func nextResult(until deadline: ContinuousClock.Instant) throws -> OpaquePointer? {
    while PQisBusy(handle) == 1 {
      try requireReady(for: POLLIN, until: deadline)
      try takeInput()
    }
    return PQgetResult(handle)
  }

  private func failure(of rows: PostgresRows) -> LogFailure? {
    let isSuccess = [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(rows.status)
    return isSuccess ? nil : failure(state: rows.sqlState)
  }

  private func takeInput() throws {
    guard PQconsumeInput(handle) == 1 else { throw failure() }
  }

  private func requireReady(for events: Int32, until deadline: ContinuousClock.Instant) throws {
    guard try isReady(for: events, until: deadline) else {
      throw LogFailure.unreachable("the database does not answer")
    }
  }

  /// Looks ten times a second whether the task was cancelled: so little work that another thread need not be able
  /// to reach the socket, which `libpq` may close.
  private func isReady(for events: Int32, until deadline: ContinuousClock.Instant) throws -> Bool {
    while true {
      try Task.checkCancellation()
      let rest = deadline - ContinuousClock.now
      guard rest > .zero else { return false }
      let milliseconds = Int32(clamping: Int64(rest / .milliseconds(1)) + 1)
      var watched = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
      let count = poll(&watched, 1, min(milliseconds, 100))
      if count > 0 { return true }
      guard count == 0 || errno == EINTR else {
        throw LogFailure.unreachable(String(cString: strerror(errno)))
      }
    }
  }

  /// A statement that failed was rolled back. But nobody knows what became of it if the connection is lost, or the
  /// server ends. What failed because of others' locks, or took too long, may be tried again.
  private func failure(state: String = "") -> LogFailure {
    var reason = String(cString: PQerrorMessage(handle))
    if let password = PQpass(handle).map({ String(cString: $0) }), !password.isEmpty {
      reason = reason.replacing(password, with: "…")
    }
    reason = reason.trimmingCharacters(in: .whitespacesAndNewlines)
    let isPassing = ["08", "40", "55", "57", "58", "XX"].contains(state.prefix(2))
    return isConnected && !state.isEmpty && !isPassing ? .refused(reason) : .unreachable(reason)
  }
}
