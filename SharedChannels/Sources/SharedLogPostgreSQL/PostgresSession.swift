import Foundation
import SharedChannels

/// One connection to the logs of a schema, which is made again when it was lost.
///
/// It blocks the thread that calls it, so the actor has a queue of its own: a blocked thread of the cooperative
/// pool would hold up everybody else's tasks.
actor PostgresSession {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let executor = QueueExecutor("PostgreSQL")
  private let address: PostgresAddress
  private let schema: PostgresSchema
  private let isListening: Bool
  private var connection: PostgresConnection?
  /// Where the connection listens.
  private var channel = ""

  init(_ address: PostgresAddress, _ schema: PostgresSchema, isListening: Bool = false) {
    (self.address, self.schema, self.isListening) = (address, schema, isListening)
  }

  /// Carries out functions of the log's schema, each in a transaction of its own, and reads what the first gives. All
  /// but `tell` have to succeed.
  func call<Value: Sendable>(
    _ functions: [PostgresCall], _ read: @Sendable (PostgresRows) throws -> Value
  ) throws -> Value {
    try connected { connection in
      let results = try connection.query(functions.map(schema.statement))
      let value = try read(results[0].get())
      do {
        for (function, result) in zip(functions, results).dropFirst() where !function.isTell {
          _ = try result.get()
        }
      } catch LogFailure.refused(let reason) {
        // The first was carried out, so nobody may be told that nothing was done.
        throw LogFailure.unreachable(reason)
      }
      return value
    }
  }

  /// Waits for notifications until then, and gives their texts. On a new connection, it gives nothing and does not
  /// wait: there may have been others before.
  func notifications(until deadline: ContinuousClock.Instant) throws -> PostgresListening {
    let isNew = connection == nil
    do {
      return try connected { connection in
        let texts = isNew ? nil : try connection.waitForNotifications(until: deadline)
        if texts == nil {
          // Also tells whether this is still the connection that listens, if there is a pooler.
          _ = try connection.query([schema.statement(PostgresCall("forget_followers"))])[0].get()
        }
        return PostgresListening(
          texts: texts ?? [], channel: channel, process: connection.serverProcess ?? 0)
      }
    } catch {
      connection = nil
      throw error
    }
  }

  private func connected<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
    // What was not begun leaves the connection as it is.
    try Task.checkCancellation()
    do {
      let connection = try self.connection ?? connect()
      self.connection = connection
      return try body(connection)
    } catch {
      // After a wait that was given up, the reply is still to come: only a new connection has none.
      if case LogFailure.refused = error {} else { connection = nil }
      throw error
    }
  }

  private func connect() throws -> PostgresConnection {
    // It listens before the first read: nothing goes unnoticed in between.
    channel = schema.channel()
    let connection = try PostgresConnection(address, listeningTo: isListening ? channel : nil)
    let rows = try connection.query([schema.versionQuery])[0].get()
    let found = rows.indices.isEmpty ? nil : rows.text(0, 0)
    if !schema.isPresent(found) {
      do {
        try connection.execute(schema.text)
      } catch LogFailure.refused(let reason) {
        throw LogFailure.refused(schema.remedy(reason, found))
      } catch LogFailure.unreachable(let reason) {
        throw LogFailure.unreachable(schema.remedy(reason, found))
      }
    }
    return connection
  }
}

/// What a connection was told that listens on a channel of its own.
struct PostgresListening: Sendable {
  let texts: [String]
  let channel: String
  /// Of the server.
  let process: Int64
}

/// A function of `schema.sql` with its values.
struct PostgresCall: Sendable {
  let name: String
  let values: [PostgresValue]

  init(_ name: String, _ values: PostgresValue...) {
    self.init(name, values)
  }

  init(_ name: String, _ values: [PostgresValue]) {
    (self.name, self.values) = (name, values)
  }

  /// Tells the readers of other machines. If it fails, they look later.
  ///
  /// - Parameter channel: That of this machine, which need not be told.
  static func tell(from channel: String) -> PostgresCall { PostgresCall("tell", .text(channel)) }
  var isTell: Bool { name == "tell" }
}

/// Where logs are in their database.
struct PostgresSchema: Sendable {
  let name: String
  /// As it stands at the end of its file.
  static let version = "shared log 6"
  /// What the file says of tables that it does not change.
  private static let tooOld = "an older program has made it"

  /// - Parameter name: Traps if it is none, since it becomes part of statements.
  init(checked name: String) {
    precondition(
      name.wholeMatch(of: /[a-z][a-z0-9_]{0,50}/) != nil,
      "\"\(name)\" is not the name of a log's schema: a-z, then at most 50 of a-z, 0-9 and _.")
    self.name = name
  }

  /// Where a connection listens, and no other does.
  func channel() -> String {
    "\(name)_" + String(Int64.random(in: 0..<1 << 44), radix: 36)
  }

  /// Whether a schema with such a comment need not be made. A newer one is left as it is.
  func isPresent(_ comment: String?) -> Bool {
    func number(_ version: String?) -> Int {
      version?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }
    return number(comment) >= number(Self.version)
  }

  /// What to do if it cannot be made.
  fileprivate func remedy(_ reason: String, _ found: String?) -> String {
    if reason.contains(Self.tooOld) { return "the schema \(name): \(reason)" }
    return """
      the schema \(name) is \(found.map { "'\($0)'" } ?? "missing") and has to be '\(Self.version)': if it stays so, an \
      administrator runs PostgresLog.definition(schema:) (\(reason))
      """
  }

  /// What makes it.
  var text: String {
    String(decoding: PackageResources.schema_sql, as: UTF8.self).replacing("@schema@", with: name)
  }

  var versionQuery: PostgresStatement {
    PostgresStatement(
      text: """
        SELECT obj_description(oid, 'pg_namespace'), pg_backend_pid() FROM pg_namespace WHERE nspname = $1
        """,
      values: [.text(name)])
  }

  func statement(_ call: PostgresCall) -> PostgresStatement {
    let places = call.values.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    return PostgresStatement(
      text: "SELECT *, pg_backend_pid() FROM \(name).\(call.name)(\(places))", values: call.values)
  }
}

/// A statement whose places `$1`, `$2`, … have values. Its last column is the server's process that carries it out.
struct PostgresStatement: Sendable {
  let text: String
  let values: [PostgresValue]
}
