import CPostgres
import Foundation
import SharedChannels

/// A connection to PostgreSQL. Its calls block their thread, but none without end: a call returns when its
/// task is cancelled, or the server was silent for too long. Then the connection is closed.
///
/// The calls of `libpq` that wait do not know of either, so this uses those that do not wait, and `poll`.
final class PostgresConnection {
  private let handle: OpaquePointer?
  /// Somewhat more than the server's own limit.
  private static let statementLimit = Duration.seconds(12)
  private static let connectLimit = Duration.seconds(3)

  init(_ address: PostgresAddress) throws {
    handle = address.connecting()
    try connect()
    // "relation already exists, skipping" is nothing for standard error.
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    PQsetnonblocking(handle, 1)
    // The server ends a statement even if it does not notice that this connection was closed.
    try query("SET statement_timeout = '10s'")
  }

  deinit {
    PQfinish(handle)
  }

  var isConnected: Bool { PQstatus(handle) == CONNECTION_OK }

  /// The rows that a statement gives, when its transaction has ended. Without values (nil) there may be several
  /// statements, which are one transaction, and the rows are in no format that is read.
  @discardableResult
  func query(_ statement: String, _ values: [PostgresValue]? = nil) throws -> PostgresRows {
    let deadline = ContinuousClock.now + Self.statementLimit
    try send(statement, values)
    while PQflush(handle) == 1 {
      try requireReady(for: POLLIN | POLLOUT, until: deadline)
      try takeInput()
    }
    var rows = PostgresRows(nil)
    var refusal: LogFailure?
    while let result = try nextResult(until: deadline) {
      rows = PostgresRows(result)
      if ![PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result)) {
        refusal = failure(state: rows.sqlState)
      }
    }
    if let refusal { throw refusal }
    return rows
  }

  /// Waits until a notification comes or has come, or it is too late.
  func waitForNotification(until deadline: ContinuousClock.Instant) throws {
    repeat {
      try takeInput()
      if takeNotifications() { return }
    } while try isReady(for: POLLIN, until: deadline)
  }

  /// Returns whether there were any.
  @discardableResult
  func takeNotifications() -> Bool {
    var isAny = false
    while let notification = PQnotifies(handle) {
      PQfreemem(notification)
      isAny = true
    }
    return isAny
  }

  private func connect() throws {
    let deadline = ContinuousClock.now + Self.connectLimit
    var state = PGRES_POLLING_WRITING
    while state != PGRES_POLLING_OK {
      guard state != PGRES_POLLING_FAILED, PQstatus(handle) != CONNECTION_BAD else {
        throw failure()
      }
      try requireReady(for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: deadline)
      state = PQconnectPoll(handle)
    }
  }

  private func send(_ statement: String, _ values: [PostgresValue]?) throws {
    let isSent =
      values.map { values in
        PostgresValue.withPointers(to: values) { types, pointers, lengths, formats in
          PQsendQueryParams(
            handle, statement, Int32(values.count), types, pointers, lengths, formats, 1)
        }
      } ?? PQsendQuery(handle, statement)
    guard isSent == 1 else { throw failure() }
  }

  private func nextResult(until deadline: ContinuousClock.Instant) throws -> OpaquePointer? {
    while PQisBusy(handle) == 1 {
      try requireReady(for: POLLIN, until: deadline)
      try takeInput()
    }
    return PQgetResult(handle)
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
