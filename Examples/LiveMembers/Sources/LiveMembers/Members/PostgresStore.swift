import CPostgres
import Foundation

/// The list in PostgreSQL, for any number of server processes. What is done there is in `postgres.sql`.
///
/// One connection carries the commands and the notifications. `libpq` blocks the thread that calls it,
/// so the actor has a queue of its own: a blocked thread of the cooperative pool would hold up
/// everybody else's tasks.
actor PostgresStore: MemberStore {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let executor = QueueExecutor()
  private let url: String
  private var connection: OpaquePointer?
  /// What the connection's LISTEN feeds, and by what: both end with it.
  private var changes: AsyncThrowingStream<Void, any Error>.Continuation?
  private var source: (any DispatchSourceRead)? { didSet { oldValue?.cancel() } }

  /// - Parameter url: What it says of the connection counts more than what is set here: a server that
  ///   is gone without a word is noticed within ten seconds.
  init(_ url: String) async throws {
    let settings =
      "connect_timeout=3&tcp_user_timeout=10000&keepalives_idle=5&keepalives_interval=2"
    let query = url.firstIndex(of: "?") ?? url.endIndex
    self.url = "\(url[..<query])?\(settings)&\(url[query...].dropFirst())"
    try self.query(String(decoding: PackageResources.postgres_sql, as: UTF8.self))
  }

  func commit(_ commands: [MemberCommand]) throws -> Committed {
    let commands = String(decoding: try JSONEncoder().encode(commands), as: UTF8.self)
    return try read("SELECT live_members.commit_commands($1::jsonb, \(listCapacity))", commands)
  }

  func roster() throws -> Roster {
    try read("SELECT live_members.roster()")
  }

  func changesByOthers() throws -> AsyncThrowingStream<Void, any Error> {
    try query("LISTEN live_members")
    let (stream, changes) = AsyncThrowingStream.makeStream(
      of: Void.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
    // A descriptor of the source's own: `libpq` closes its one when the connection is lost.
    let socket = dup(PQsocket(connection))
    guard socket >= 0 else { throw StoreFailure(isConnected: true, reason: "too many open files") }
    let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: executor.queue)
    source.setEventHandler { self.assumeIsolated { $0.readNotifications() } }
    source.setCancelHandler { close(socket) }
    source.resume()
    changes.yield()
    (self.changes, self.source) = (changes, source)
    return stream
  }

  /// Takes all that has come, or the source would fire again and again. A server's own notifications
  /// tell it nothing: a commit gives the list.
  private func readNotifications() {
    guard PQconsumeInput(connection) == 1 else { return stopListening() }
    while let notification = PQnotifies(connection) {
      if notification.pointee.be_pid != PQbackendPID(connection) { changes?.yield() }
      PQfreemem(notification)
    }
  }

  private func read<Reply: Decodable>(
    _ statement: String, _ parameter: String? = nil
  ) throws -> Reply {
    try JSONDecoder().decode(Reply.self, from: Data(try query(statement, parameter).utf8))
  }

  /// The first value that a statement gives, or several without a parameter: one transaction.
  @discardableResult
  private func query(_ statement: String, _ parameter: String? = nil) throws -> String {
    try connect()
    let result =
      parameter?.withCString {
        PQexecParams(connection, statement, 1, nil, [$0], nil, nil, 0)
      } ?? PQexec(connection, statement)
    defer { PQclear(result) }
    guard [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result))
    else { throw failure }
    readNotifications()  // those that came with the reply: the source does not fire for them
    return PQntuples(result) > 0 ? String(cString: PQgetvalue(result, 0, 0)) : ""
  }

  private func connect() throws {
    guard PQstatus(connection) != CONNECTION_OK else { return }
    stopListening()
    PQfinish(connection)
    connection = PQconnectdb(url)
    guard PQstatus(connection) == CONNECTION_OK else { throw failure }
    // "relation already exists, skipping" is nothing for standard error.
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
  }

  private func stopListening() {
    changes?.finish(throwing: failure)
    source = nil
  }

  private var failure: StoreFailure {
    StoreFailure(
      isConnected: PQstatus(connection) == CONNECTION_OK,
      reason: String(cString: PQerrorMessage(connection)))
  }
}

/// Runs an actor on a queue. (On Linux a `DispatchSerialQueue` is no executor.)
private final class QueueExecutor: SerialExecutor {
  let queue = DispatchQueue(label: "PostgreSQL")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// The source's events come on the queue, but not as a job of the actor's.
  func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}
