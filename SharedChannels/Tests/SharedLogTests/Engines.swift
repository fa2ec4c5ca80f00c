import Foundation
import SharedChannels
import SharedLogConformance
import SharedLogPostgreSQL
import SharedLogSQLite
import Synchronization
import XCTest

/// The program of the target `SharedLogWorker`, beside the tests. (On macOS these are a folder.)
let worker: URL = {
  let tests = Bundle(for: SQLiteLogTests.self).bundleURL
  let folder = tests.pathExtension == "xctest" ? tests.deletingLastPathComponent() : tests
  return folder.appending(path: "SharedLogWorker")
}()

/// Logs in the memory, with or without a fault.
struct MemoryEngine: LogUnderTest {
  private let contents = Contents()
  let fault: Fault?

  final class Contents: Sendable {
    let logs = Mutex<[String: (storage: MemoryLog.Storage, handles: Int)]>([:])
    let backups = Mutex<[String: MemoryLog.Backup]>([:])
  }

  init(fault: Fault? = nil) {
    self.fault = fault
  }

  func open(_ name: String) -> any SharedLog {
    let (storage, handle) = contents.logs.withLock { logs in
      logs[name, default: (MemoryLog.Storage(), 0)].handles += 1
      return logs[name]!
    }
    let log = MemoryLog(storage)
    return fault.map { FaultyLog(log, $0, handle: handle) } ?? log
  }

  func backUp(_ name: String) {
    let backup = contents.logs.withLock { $0[name]?.storage.backUp() }
    contents.backups.withLock { $0[name] = backup }
  }

  func restore(_ name: String) {
    guard let backup = contents.backups.withLock({ $0[name] }) else { return }
    contents.logs.withLock { $0[name]?.storage.restore(backup) }
  }

  func appender(_ name: String) -> AppenderCommand? { nil }
}

/// Files in a folder of the test's own.
struct SQLiteEngine: LogUnderTest {
  let folder: URL
  var isEarly = false

  func path(_ name: String) -> String { folder.appending(path: "\(name).sqlite").path }

  func open(_ name: String) throws -> any SharedLog {
    try SQLiteLog(path: path(name))
  }

  /// The last handle that is closed leaves one file.
  func backUp(_ name: String) throws {
    try FileManager.default.copyItem(atPath: path(name), toPath: path("\(name)-copy"))
  }

  func restore(_ name: String) throws {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path(name) + suffix)
    }
    try FileManager.default.copyItem(atPath: path("\(name)-copy"), toPath: path(name))
  }

  func appender(_ name: String) -> AppenderCommand? {
    AppenderCommand(
      executable: worker,
      arguments: ["append"] + (isEarly ? ["early"] : []) + ["sqlite", path(name)])
  }
}

/// Schemas of a database.
struct PostgresEngine: LogUnderTest {
  let address: String

  func open(_ name: String) throws -> any SharedLog {
    // So long that a lost notification is noticed.
    PostgresLog(try PostgresAddress(address), schema: name, pollInterval: .seconds(45))
  }

  func backUp(_ name: String) throws {
    try query(
      """
      CREATE SCHEMA \(name)_copy;
      CREATE TABLE \(name)_copy.log AS TABLE \(name).log;
      CREATE TABLE \(name)_copy.entry AS TABLE \(name).entry;
      CREATE TABLE \(name)_copy.snapshot AS TABLE \(name).snapshot;
      """)
  }

  func restore(_ name: String) throws {
    try query(
      """
      TRUNCATE \(name).log, \(name).entry, \(name).snapshot;
      INSERT INTO \(name).log TABLE \(name)_copy.log;
      INSERT INTO \(name).entry TABLE \(name)_copy.entry;
      INSERT INTO \(name).snapshot TABLE \(name)_copy.snapshot;
      """)
  }

  func appender(_ name: String) -> AppenderCommand? {
    AppenderCommand(executable: worker, arguments: ["append", "postgres", address, name])
  }

  @discardableResult
  func query(_ statements: String) throws -> String {
    try execute("psql", ["-qAt", "-v", "ON_ERROR_STOP=1", "-1", "-c", statements, address])
  }
}

/// The logs of one schema. Each handle is that of another machine.
struct PostgresLogsEngine: LogUnderTest {
  let address: String
  let schema: String

  func open(_ name: String) throws -> any SharedLog { try machine().log(name) }

  /// The logs as another machine has them.
  func machine(pollInterval: Duration = .seconds(45)) throws -> PostgresLogs {
    PostgresLogs(try PostgresAddress(address), schema: schema, pollInterval: pollInterval)
  }

  func backUp(_ name: String) throws {
    try PostgresEngine(address: address).query(
      ["log", "entry", "snapshot"].map { table in
        "CREATE TABLE \(schema).\(name)_\(table) AS SELECT * FROM \(schema).\(table) WHERE \(column(table)) = '\(name)';"
      }.joined())
  }

  func restore(_ name: String) throws {
    try PostgresEngine(address: address).query(
      ["log", "entry", "snapshot"].map { table in
        """
        DELETE FROM \(schema).\(table) WHERE \(column(table)) = '\(name)';
        INSERT INTO \(schema).\(table) TABLE \(schema).\(name)_\(table);
        """
      }.joined())
  }

  private func column(_ table: String) -> String { table == "log" ? "name" : "log" }

  func appender(_ name: String) -> AppenderCommand? {
    AppenderCommand(
      executable: worker, arguments: ["append", "postgres-logs", address, schema, name])
  }
}

/// What a program prints. Fails if it fails.
@discardableResult
func execute(_ program: String, _ arguments: [String]) throws -> String {
  let (process, output) = (Process(), Pipe())
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [program] + arguments
  process.standardOutput = output
  process.standardInput = FileHandle.nullDevice
  try process.start()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw LogFailure.refused("\(program) has failed: \(arguments)")
  }
  return text
}

/// The command `sharedlog`.
func tool(_ arguments: String...) throws -> (output: String, error: String, status: Int32) {
  try tool(arguments)
}

func tool(_ arguments: [String]) throws -> (output: String, error: String, status: Int32) {
  let (process, output, error) = (Process(), Pipe(), Pipe())
  process.executableURL = worker.deletingLastPathComponent().appending(path: "sharedlog")
  process.arguments = arguments
  (process.standardOutput, process.standardError) = (output, error)
  process.standardInput = FileHandle.nullDevice
  try process.start()
  let texts = try [output, error].map {
    String(decoding: try $0.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  }
  process.waitUntilExit()
  return (texts[0], texts[1], process.terminationStatus)
}
