import Foundation
import SharedChannels

/// One connection to a log, which is made again when it was lost.
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
  /// Where a reader has all of which it was told on this connection, so that it waits to be told of more.
  private var caughtUp: Position?
  /// Whether several notifications came since the last read: faster than it is worth a read each.
  private var isBusy = false
  /// How long the last read took.
  private var readTime = Duration.zero
  private static let longestPause = Duration.milliseconds(10)
  /// How long a busy reader lets notifications gather, since each read costs the database about as much as a small
  /// append. So its reads take at most a quarter of its time, unless they are slow.
  private var pause: Duration { min(readTime * 3, Self.longestPause) }

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

  /// Waits until there is something after a position. It looks when a notification comes, or as often as is said.
  func page(after known: Position?, every interval: Duration) throws -> PostgresPage {
    try connected { connection in
      var news: PostgresNews?
      if let caughtUp, caughtUp == known {
        if isBusy { Thread.sleep(forTimeInterval: pause / .seconds(1)) }
        news = try connection.waitForNotification(until: .now + interval)
        isBusy = news.map { $0.count > 1 } ?? false
      } else {
        // Those that come from here on may tell of what the reply does not have.
        connection.takeNotifications()
      }
      caughtUp = nil
      // Also if it is told of what it knows, again and again.
      var end = ContinuousClock.now + interval
      while true {
        let call = PostgresPage.call(after: known, news ?? .unknown)
        let begin = ContinuousClock.now
        let rows = try connection.query([schema.statement(call)])[0].get()
        readTime = .now - begin
        if let page = try PostgresPage(rows, after: known) {
          caughtUp = page.end
          return page
        }
        news = try connection.waitForNotification(until: end)
        if news == nil { end = .now + interval }
      }
    }
  }

  /// Waits for notifications until then, and gives their texts. On a new connection, it gives nothing and does not
  /// wait: there may have been others before.
  func notifications(until deadline: ContinuousClock.Instant) throws -> PostgresListening {
    let isNew = connection == nil
    do {
      return try connected { connection in
        if isNew {
          _ = try connection.query([schema.statement(PostgresCall("forget_followers"))])[0].get()
        }
        let texts =
          isNew
          ? nil : try connection.waitForNotification(until: deadline) { connection.takeTexts() }
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
      caughtUp = nil
      throw error
    }
  }

  private func connect() throws -> PostgresConnection {
    // It listens before the first read: nothing goes unnoticed in between.
    channel = schema.channel()
    let connection = try PostgresConnection(address, listeningTo: isListening ? channel : nil)
    let rows = try connection.query([schema.versionQuery])[0].get()
    let found = rows.indices.isEmpty ? nil : rows.text(0, 0)
    if let found, schema.isOther(found) {
      throw LogFailure.refused(
        "the schema \(schema.name) is '\(found)', and not '\(schema.version)'")
    }
    if !schema.isPresent(found) {
      do {
        try connection.execute(schema.text)
      } catch LogFailure.refused(let reason) {
        throw LogFailure.refused(
          "the schema \(schema.name) is \(found.map { "'\($0)'" } ?? "missing") and has to be '\(schema.version)': an administrator runs \(schema.kind.maker) (\(reason))"
        )
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

  /// Tells readers. If it fails, they look later.
  static var tell: PostgresCall { PostgresCall("tell") }
  var isTell: Bool { name == "tell" }
}

/// Where a log is in its database, or many.
struct PostgresSchema: Sendable {
  let name: String
  let kind: Kind

  enum Kind: String {
    case oneLog = "shared log 4", manyLogs = "shared logs 1"

    var maker: String {
      self == .oneLog ? "PostgresLog.definition(schema:)" : "PostgresLogs.definition(schema:)"
    }
  }

  /// - Parameter name: Traps if it is none, since it becomes part of statements.
  init(checked name: String, _ kind: Kind = .oneLog) {
    precondition(
      name.wholeMatch(of: /[a-z][a-z0-9_]{0,50}/) != nil,
      "\"\(name)\" is not the name of a log's schema: a-z, then at most 50 of a-z, 0-9 and _.")
    (self.name, self.kind) = (name, kind)
  }

  /// Where a connection listens: all that follow one log on one channel, and one that follows many on a channel that no
  /// other has.
  func channel() -> String {
    kind == .oneLog ? name : "\(name)_" + String(Int64.random(in: 0..<1 << 44), radix: 36)
  }

  /// As it stands at the end of its file.
  var version: String { kind.rawValue }

  /// Whether a schema with such a comment need not be made. A newer one is left as it is.
  func isPresent(_ comment: String?) -> Bool {
    guard let comment, !isOther(comment) else { return false }
    return Self.number(comment) >= Self.number(version)
  }

  /// Whether it has one log in place of many, or many in place of one.
  func isOther(_ comment: String) -> Bool {
    comment.hasPrefix("shared log") && Self.words(comment) != Self.words(version)
  }

  private static func words(_ version: String) -> [Substring] {
    version.split(separator: " ").dropLast()
  }

  private static func number(_ version: String) -> Int {
    version.split(separator: " ").last.flatMap { Int($0) } ?? 0
  }

  /// What makes it.
  var text: String {
    let file = kind == .oneLog ? PackageResources.schema_sql : PackageResources.logs_sql
    return String(decoding: file, as: UTF8.self).replacing("@schema@", with: name)
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
