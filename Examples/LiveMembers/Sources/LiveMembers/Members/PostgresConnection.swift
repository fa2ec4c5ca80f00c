import CPostgres
import Foundation

/// One connection to PostgreSQL, which is opened when it is needed and again when it was lost.
///
/// `libpq` blocks the thread that calls it, so it gets a queue of its own: a blocked thread of the
/// cooperative pool would hold up everybody else's tasks.
actor PostgresConnection {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let executor = QueueExecutor()
  private let url: String
  private var handle: Handle?

  init(url: String) {
    self.url = url
  }

  /// The first column of the first row of what one statement gives, which is a transaction.
  @discardableResult
  func query(_ statement: String, _ parameters: [String] = []) throws -> String? {
    let handle = try open()
    let result = withCStrings(parameters) { values in
      PQexecParams(handle.connection, statement, Int32(parameters.count), nil, values, nil, nil, 0)
    }
    return try text(result, handle)
  }

  /// Runs several statements, in one transaction.
  func run(script: String) throws {
    let handle = try open()
    _ = try text(PQexec(handle.connection, script), handle)
  }

  /// Calls a function immediately, and again after notifications, until the task is cancelled.
  func listen(to channel: String, _ received: @Sendable () async throws -> Void) async throws {
    let handle = try open()
    try query("LISTEN \(channel)")
    let (readable, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // It fires for as long as there is something to read, so again and again while the actor waits in
    // `received`: that is a moment.
    let source = DispatchSource.makeReadSource(
      fileDescriptor: PQsocket(handle.connection), queue: executor.queue)
    source.setEventHandler { continuation.yield() }
    // A socket may be closed only when nobody watches it any more.
    source.setCancelHandler { withExtendedLifetime(handle) {} }
    source.resume()
    defer { source.cancel() }
    try await received()
    for await _ in readable {
      guard PQconsumeInput(handle.connection) == 1 else { throw lost(handle) }
      var isNotified = false
      while let notification = PQnotifies(handle.connection) {
        PQfreemem(notification)
        isNotified = true
      }
      if isNotified { try await received() }
    }
  }

  private func open() throws -> Handle {
    if let handle { return handle }
    // A server that is gone without a word is noticed within ten seconds. What is in the URL, which
    // comes last, counts more.
    let settings: KeyValuePairs = [
      "connect_timeout": "3", "tcp_user_timeout": "10000", "keepalives_idle": "5",
      "keepalives_interval": "2", "fallback_application_name": "LiveMembers", "dbname": url,
    ]
    let handle = Handle(
      withCStrings(settings.map(\.key)) { keys in
        withCStrings(settings.map(\.value)) { values in PQconnectdbParams(keys, values, 1) }
      })
    guard PQstatus(handle.connection) == CONNECTION_OK else { throw lost(handle) }
    // "relation already exists, skipping" is nothing for standard error.
    PQsetNoticeProcessor(handle.connection, { _, _ in }, nil)
    self.handle = handle
    return handle
  }

  private func text(_ result: OpaquePointer?, _ handle: Handle) throws -> String? {
    defer { PQclear(result) }
    switch PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
      return PQntuples(result) > 0 ? String(cString: PQgetvalue(result, 0, 0)) : nil
    default:
      guard PQstatus(handle.connection) == CONNECTION_OK else { throw lost(handle) }
      throw StatementRefused(description: handle.message)
    }
  }

  private func lost(_ handle: Handle) -> StoreDisconnected {
    self.handle = nil
    return StoreDisconnected(description: handle.message)
  }
}

/// The database has not carried out a statement, and will not if it is asked again.
struct StatementRefused: Error, CustomStringConvertible {
  let description: String
}

/// `@unchecked Sendable`: only the actor uses the connection; its source just keeps it.
private final class Handle: @unchecked Sendable {
  let connection: OpaquePointer

  init(_ connection: OpaquePointer) {
    self.connection = connection
  }

  deinit {
    PQfinish(connection)
  }

  var message: String { String(cString: PQerrorMessage(connection)) }
}

/// Strings as C takes them: an array that ends with a null pointer.
private func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { copies.forEach { free($0) } }
  return body(copies.map { UnsafePointer($0) } + [nil])
}

/// Runs an actor on a queue. (On Linux a `DispatchSerialQueue` is no executor.)
private final class QueueExecutor: SerialExecutor {
  let queue = DispatchQueue(label: "PostgreSQL")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
