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

  init(_ address: PostgresAddress, _ schema: PostgresSchema, isListening: Bool) {
    (self.address, self.schema, self.isListening) = (address, schema, isListening)
  }

  /// Carries out a function of the log's schema, and then another in a transaction of its own.
  func call<Value: Sendable>(
    _ function: PostgresCall, then next: PostgresCall? = nil,
    _ read: @Sendable (PostgresRows) throws -> Value
  ) throws -> Value {
    try connected { connection in
      let value = try read(try connection.query(schema.statement(function), function.values))
      if let next {
        do {
          try connection.query(schema.statement(next), next.values)
        } catch LogFailure.refused(let reason) {
          // The first was carried out, so nobody may be told that nothing was done.
          throw LogFailure.unreachable(reason)
        }
      }
      return value
    }
  }

  /// Calls a function again and again, until it gives something. In between it waits for a notification, or as long
  /// as is said.
  func poll<Value: Sendable>(
    every interval: Duration, _ function: PostgresCall,
    _ read: @Sendable (PostgresRows) throws -> Value?
  ) throws -> Value {
    try connected { connection in
      while true {
        // Those that come from here on may tell of what the reply does not have.
        connection.takeNotifications()
        let rows = try connection.query(schema.statement(function), function.values)
        if let value = try read(rows) { return value }
        try connection.waitForNotification(until: .now + interval)
      }
    }
  }

  private func connected<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
    do {
      try Task.checkCancellation()
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
    let connection = try PostgresConnection(address)
    let rows = try connection.query(schema.versionQuery, [.text(schema.name)])
    if rows.indices.isEmpty || rows.text(0, 0) != PostgresSchema.version {
      try connection.query(schema.text)
    }
    // Before the first read: nothing goes unnoticed in between.
    if isListening { try connection.query("LISTEN \(schema.name)") }
    return connection
  }
}

/// A function of `schema.sql` with its values.
struct PostgresCall: Sendable {
  let name: String
  let values: [PostgresValue]

  init(_ name: String, _ values: PostgresValue...) {
    (self.name, self.values) = (name, values)
  }
}

/// Where a log is in its database.
struct PostgresSchema: Sendable {
  let name: String
  /// As it stands at the end of `schema.sql`.
  static let version = "shared log 1"

  /// What makes it.
  var text: String {
    String(decoding: PackageResources.schema_sql, as: UTF8.self)
      .replacing("@schema@", with: name)
  }

  let versionQuery =
    "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = $1"

  func statement(_ call: PostgresCall) -> String {
    let places = call.values.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    return "SELECT * FROM \(name).\(call.name)(\(places))"
  }
}
