#if PostgreSQL
  import Foundation

  /// The list in PostgreSQL, for any number of server processes. What is done there is in `postgres.sql`.
  ///
  /// One connection carries the commands and the notifications. It blocks the thread that calls it, so the
  /// actor has a queue of its own: a blocked thread of the cooperative pool would hold up everybody else's
  /// tasks.
  actor PostgresStore: MemberStore {
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let executor = QueueExecutor()
    private let address: PostgresAddress
    private var connection: PostgresConnection?
    /// What the connection's LISTEN feeds, and by what: both end with it.
    private var changes: AsyncThrowingStream<Void, any Error>.Continuation?
    private var source: (any DispatchSourceRead)? { didSet { oldValue?.cancel() } }

    /// Makes the schema if it is missing or older. A newer one refuses that, and so this program.
    init(_ address: PostgresAddress) async throws {
      self.address = address
      let found = try query(
        "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = 'live_members'"
      )
      if found != PostgresSchema.version { try query(PostgresSchema.statements) }
    }

    /// The list is read when the commands are committed: in their transaction, a server that takes its reply
    /// slowly, or not at all, would keep the lock.
    func commit(_ commands: [MemberCommand]) throws -> Committed {
      let commands = String(decoding: try JSONEncoder().encode(commands), as: UTF8.self)
      let outcomes: [MemberOutcome] = try read(
        "SELECT live_members.commit_commands($1::jsonb, \(listCapacity))", [commands])
      do {
        return Committed(outcomes: outcomes, roster: try roster())
      } catch let error where !(error is CancellationError) {
        // They are stored, so nobody may be told that they are not. Asking again gives the same outcomes.
        throw StoreFailure(changedNothing: false, reason: "\(error)")
      }
    }

    func roster() throws -> Roster {
      try read("SELECT live_members.roster()")
    }

    func rosterID() throws -> String {
      try query("SELECT live_members.roster_id()")
    }

    func beginEpoch(after known: Roster) throws {
      try query(
        "SELECT live_members.begin_epoch($1, $2::bigint)", [known.list, "\(known.revision)"])
    }

    func changesByOthers() throws -> AsyncThrowingStream<Void, any Error> {
      try query("LISTEN live_members")
      let (stream, changes) = AsyncThrowingStream.makeStream(
        of: Void.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
      // A descriptor of the source's own: `libpq` closes its one when the connection is lost.
      let socket = dup(connection?.socket ?? -1)
      guard socket >= 0 else {
        throw StoreFailure(changedNothing: true, reason: "too many open files")
      }
      let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: executor.queue)
      source.setEventHandler { self.assumeIsolated { $0.readNotifications() } }
      source.setCancelHandler { close(socket) }
      source.resume()
      changes.yield()
      (self.changes, self.source) = (changes, source)
      return stream
    }

    private func readNotifications() {
      do {
        if try connection?.notifications() ?? 0 > 0 { changes?.yield() }
      } catch {
        disconnect(error)
      }
    }

    private func read<Reply: Decodable>(
      _ statement: String, _ parameters: [String] = []
    ) throws -> Reply {
      try JSONDecoder().decode(Reply.self, from: Data(try query(statement, parameters).utf8))
    }

    @discardableResult
    private func query(_ statement: String, _ parameters: [String] = []) throws -> String {
      do {
        let connection = try self.connection ?? PostgresConnection(address)
        self.connection = connection
        let value = try connection.query(statement, parameters)
        readNotifications()  // those that came with the reply: the source does not fire for them
        return value
      } catch {
        // After a wait that was given up, the reply is still to come: only a new connection has none.
        if (error as? StoreFailure)?.changedNothing != true { disconnect(error) }
        throw error
      }
    }

    private func disconnect(_ error: any Error) {
      changes?.finish(throwing: error)
      (changes, source, connection) = (nil, nil, nil)
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
#endif
