#if PostgreSQL
  import CPostgres
  import Foundation

  /// A connection to PostgreSQL. Its calls block their thread, but none without end: a call returns when its
  /// task is cancelled, or the server was silent for too long. Then the connection is closed.
  ///
  /// The calls of `libpq` that wait do not know of either, so a query uses those that do not wait, and `poll`.
  /// Only to connect there is no such call that finds names, and gives each of several hosts its time: that has
  /// a thread of its own, for which nobody has to wait.
  final class PostgresConnection {
    private let handle: OpaquePointer?
    private static let statementLimit = Duration.seconds(10)

    init(_ address: PostgresAddress) throws {
      let attempt = PostgresAttempt(address)
      var connection: OpaquePointer?
      while connection == nil {
        try Task.checkCancellation()
        connection = attempt.take()
      }
      handle = connection
      guard isConnected else { throw failure }
      // "relation already exists, skipping" is nothing for standard error.
      PQsetNoticeProcessor(handle, { _, _ in }, nil)
      PQsetnonblocking(handle, 1)
    }

    deinit {
      PQfinish(handle)
    }

    var isConnected: Bool { PQstatus(handle) == CONNECTION_OK }
    var socket: Int32 { PQsocket(handle) }

    /// The first value that a statement gives, or several without parameters: one transaction.
    func query(_ statement: String, _ parameters: [String] = []) throws -> String {
      let deadline = ContinuousClock.now + Self.statementLimit
      try send(statement, parameters)
      while PQflush(handle) == 1 {
        try wait(for: POLLIN | POLLOUT, until: deadline)
        try takeInput()
      }
      var value = ""
      var refusal: StoreFailure?
      while let result = try nextResult(until: deadline) {
        defer { PQclear(result) }
        if [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result)) {
          if PQntuples(result) > 0 { value = String(cString: PQgetvalue(result, 0, 0)) }
        } else {
          refusal = failure
        }
      }
      if let refusal { throw refusal }
      return value
    }

    /// The notifications by others that have come. Takes all, or a source that watches the socket would
    /// fire again and again. Our own tell nothing new: a commit gives the list.
    func notifications() throws -> Int {
      try takeInput()
      var count = 0
      while let notification = PQnotifies(handle) {
        if notification.pointee.be_pid != PQbackendPID(handle) { count += 1 }
        PQfreemem(notification)
      }
      return count
    }

    private func send(_ statement: String, _ parameters: [String]) throws {
      let values = parameters.map { strdup($0) }
      defer { values.forEach { free($0) } }
      let isSent =
        parameters.isEmpty
        ? PQsendQuery(handle, statement)
        : PQsendQueryParams(
          handle, statement, Int32(values.count), nil, values.map { UnsafePointer($0) }, nil, nil, 0
        )
      guard isSent == 1 else { throw failure }
    }

    private func nextResult(until deadline: ContinuousClock.Instant) throws -> OpaquePointer? {
      while PQisBusy(handle) == 1 {
        try wait(for: POLLIN, until: deadline)
        try takeInput()
      }
      return PQgetResult(handle)
    }

    private func takeInput() throws {
      guard PQconsumeInput(handle) == 1 else { throw failure }
    }

    /// Looks ten times a second whether the task was cancelled: while a statement is under way, and so little
    /// work that another thread need not be able to reach the socket, which `libpq` may close.
    private func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws {
      while true {
        try Task.checkCancellation()
        guard ContinuousClock.now < deadline else {
          throw StoreFailure(changedNothing: false, reason: "the database does not answer")
        }
        var watched = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        let count = poll(&watched, 1, 100)
        if count > 0 { return }
        guard count == 0 || errno == EINTR else {
          throw StoreFailure(changedNothing: false, reason: String(cString: strerror(errno)))
        }
      }
    }

    private var failure: StoreFailure {
      var reason = String(cString: PQerrorMessage(handle))
      if let password = PQpass(handle).map({ String(cString: $0) }), !password.isEmpty {
        reason = reason.replacing(password, with: "…")
      }
      return StoreFailure(
        changedNothing: isConnected, reason: reason.trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }
#endif
