import CPostgres
import Foundation

/// One connection to PostgreSQL, which is opened when it is needed and again when it was lost.
///
/// `libpq` blocks the thread that calls it, so it gets a queue of its own: a blocked thread of the
/// cooperative pool would hold up everybody else's tasks.
actor PostgresConnection {
  private let url: String
  private let executor = QueueExecutor()
  private var handle: Handle?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(url: String) {
    self.url = url
  }

  /// The first column of the first row of what one statement gives. Such a statement is a transaction.
  @discardableResult
  func query(_ statement: String, _ parameters: [String] = []) throws -> String? {
    let connection = try open()
    let values = parameters.map { strdup($0) }
    defer { values.forEach { free($0) } }
    let result = PQexecParams(
      connection, statement, Int32(values.count), nil, values.map { UnsafePointer($0) }, nil, nil, 0)
    return try text(of: result)
  }

  /// Runs several statements, in one transaction.
  func run(script: String) throws {
    _ = try text(of: PQexec(try open(), script))
  }

  /// Calls a function immediately, and again after notifications, until the task is cancelled.
  func listen(to channel: String, _ received: @Sendable () async throws -> Void) async throws {
    try query("LISTEN \(channel)")
    let handle = self.handle!
    let (readable, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // The source runs on this actor's queue, so it cannot fire again and again before the actor reads.
    let source = DispatchSource.makeReadSource(
      fileDescriptor: PQsocket(handle.connection), queue: executor.queue)
    source.setEventHandler { continuation.yield() }
    // A socket may be closed only when nobody watches it any more.
    source.setCancelHandler { withExtendedLifetime(handle) {} }
    source.resume()
    defer { source.cancel() }
    try await received()
    for await _ in readable {
      guard PQconsumeInput(handle.connection) == 1 else { throw lost(handle.connection) }
      var isNotified = false
      while let notification = PQnotifies(handle.connection) {
        PQfreemem(notification)
        isNotified = true
      }
      if isNotified { try await received() }
    }
  }

  private func open() throws -> OpaquePointer {
    if let handle { return handle.connection }
    // What is in the URL counts more than what stands before it. A server that is gone without a
    // word is noticed within ten seconds.
    let settings = [
      ("connect_timeout", "3"), ("tcp_user_timeout", "10000"), ("keepalives_idle", "5"),
      ("keepalives_interval", "2"), ("fallback_application_name", "LiveMembers"), ("dbname", url),
    ]
    let keywords = (settings.map { strdup($0.0) } + [nil])
    let values = (settings.map { strdup($0.1) } + [nil])
    defer { (keywords + values).forEach { free($0) } }
    let connection = PQconnectdbParams(
      keywords.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 1)!
    let handle = Handle(connection)
    guard PQstatus(connection) == CONNECTION_OK else { throw lost(connection) }
    // Notices, "relation already exists, skipping", are not for standard error.
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
    self.handle = handle
    return connection
  }

  private func text(of result: OpaquePointer?) throws -> String? {
    defer { PQclear(result) }
    let connection = handle!.connection
    switch PQresultStatus(result) {
    case PGRES_TUPLES_OK where PQntuples(result) > 0: return String(cString: PQgetvalue(result, 0, 0))
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return nil
    default:
      guard PQstatus(connection) == CONNECTION_OK else { throw lost(connection) }
      throw StatementFailed(description: String(cString: PQerrorMessage(connection)))
    }
  }

  private func lost(_ connection: OpaquePointer) -> StoreDisconnected {
    handle = nil
    let message = String(cString: PQerrorMessage(connection))
    return StoreDisconnected(description: message.split(separator: "\n").first.map(String.init) ?? "")
  }
}

/// A statement that the database refused; it has changed nothing.
struct StatementFailed: Error, CustomStringConvertible {
  let description: String
}

/// Closes the connection when nobody has it any more.
///
/// `@unchecked Sendable`: only the actor uses the connection; a dispatch source keeps it, and no more.
private final class Handle: @unchecked Sendable {
  let connection: OpaquePointer

  init(_ connection: OpaquePointer) {
    self.connection = connection
  }

  deinit {
    PQfinish(connection)
  }
}

/// Runs an actor on a queue. (On Linux a `DispatchSerialQueue` is no executor.)
private final class QueueExecutor: SerialExecutor {
  let queue = DispatchQueue(label: "PostgreSQL")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
