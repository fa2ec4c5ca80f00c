import AsyncChannels
import GRDB
import ServiceLifecycle
import SharedChannels

/// Tables that other programs read, in one database for all offices.
struct Reports: Service {
  private let database: DatabasePool
  private let sales: SharedChannel<Sales>

  init(path: String, of sales: SharedChannel<Sales>) throws {
    self.sales = sales
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    database = try DatabasePool(path: path, configuration: configuration)
    try database.write {
      try $0.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS mail (key TEXT PRIMARY KEY, recipient TEXT, seat INTEGER);
          CREATE TABLE IF NOT EXISTS seat (number INTEGER PRIMARY KEY, owner TEXT);
          CREATE TABLE IF NOT EXISTS place (epoch TEXT, "index" INTEGER);
          """)
    }
  }

  /// Writes a mail, from where another program sends it. A second time does nothing.
  func write(_ mail: Sales.Mail, key: String) async throws {
    try await database.write {
      try $0.execute(
        sql: "INSERT INTO mail VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        arguments: [key, mail.recipient, mail.seat])
    }
  }

  /// Keeps the table of seats as the state is. A table that is behind, or was emptied, is made anew from the next state.
  func run() async throws {
    let states = sales.state.subscribe(buffering: .bufferingNewest(1))
    for await state in states.cancelOnGracefulShutdown() {
      if let position = state.position { try await write(state.value, at: position) }
    }
  }

  /// The rows and their place in the log change in one transaction, so no change is written twice, and none is missed.
  /// When the log gets another epoch, an office that has not noticed it may put an older table there, until the next
  /// state is written.
  private func write(_ sales: Sales, at position: Position) async throws {
    try await database.write { database in
      let newer = try Row.fetchOne(
        database, sql: #"SELECT 1 FROM place WHERE epoch = ? AND "index" >= ?"#,
        arguments: [position.epoch, position.index])
      if newer != nil { return }
      try database.execute(sql: "DELETE FROM seat; DELETE FROM place")
      for (seat, owner) in sales.owners {
        try database.execute(sql: "INSERT INTO seat VALUES (?, ?)", arguments: [seat, owner])
      }
      try database.execute(
        sql: "INSERT INTO place VALUES (?, ?)", arguments: [position.epoch, position.index])
    }
  }
}
