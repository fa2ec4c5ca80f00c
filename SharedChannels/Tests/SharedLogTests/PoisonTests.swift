import Foundation
import SharedChannels
import SharedLogConformance
import SharedLogPostgreSQL
import SharedLogSQLite
import XCTest

/// A command on which `apply` traps.
final class PoisonTests: XCTestCase {
  func test_itEndsTheMachineThatWasAskedAndNeitherTheOthersNorTheLogOverSQLite() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
    }
    try await requireItDiesAlone(["sqlite", path]) { try SQLiteLog(path: path) }
  }

  func test_itEndsTheMachineThatWasAskedAndNeitherTheOthersNorTheLogOverPostgreSQL() async throws {
    guard let address = ProcessInfo.processInfo.environment["SHARED_LOG_POSTGRES"] else {
      throw XCTSkip("there is no server")
    }
    let schema = "poison" + UUID().uuidString.lowercased().filter(\.isHexDigit).prefix(16)
    try await requireItDiesAlone(["postgres", address, schema]) {
      PostgresLog(try PostgresAddress(address), schema: schema)
    }
  }

  private func requireItDiesAlone(
    _ log: [String], _ open: () throws -> any SharedLog
  ) async throws {
    let other = try FragileProcess(log)
    defer { other.terminate() }
    var keys: [String] = []
    for round in 1...(try roundsOfEnvironment() ?? 3) {
      let asked = try FragileProcess(log)
      defer { asked.terminate() }
      try await asked.require("a\(round)", 3, is: "applied \(round)")
      try await other.require("b\(round)", 4, is: "applied \(round)")
      try asked.ask("poison\(round)", 99)
      try await asked.requireItWasKilled()
      try await other.require("c\(round)", 5, is: "applied \(round)")
      keys += ["a", "b", "c"].map { "\($0)\(round)" }
    }
    let stored = try await allEntries(of: open()).map(\.key)
    XCTAssertEqual(stored, keys)
  }
}

/// A process of `SharedLogWorker fragile`.
private final class FragileProcess {
  private let process = Process()
  private let input = Pipe()
  private let output: URL

  init(_ log: [String]) throws {
    output = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try Data().write(to: output)
    process.executableURL = worker
    process.arguments = ["fragile"] + log
    process.standardInput = input
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = FileHandle.nullDevice
    try process.start()
  }

  func ask(_ key: String, _ number: Int) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(key) \(number)\n".utf8))
  }

  func require(_ key: String, _ number: Int, is outcome: String) async throws {
    try ask(key, number)
    try await until("\(key) has no answer") { try lines().last?.hasPrefix("\(key) ") == true }
    XCTAssertEqual(try lines().last, "\(key) \(outcome)")
  }

  func requireItWasKilled() async throws {
    try await until("it runs on") { !process.isRunning }
    XCTAssertEqual(process.terminationReason, .uncaughtSignal)
  }

  func terminate() {
    process.terminate()
    try? FileManager.default.removeItem(at: output)
  }

  private func lines() throws -> [Substring] {
    try String(contentsOf: output, encoding: .utf8).split(separator: "\n")
  }

  private func until(_ reason: String, _ isTrue: () throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(30)
    while try !isTrue() {
      guard ContinuousClock.now < end else { throw LogFailure.unreachable(reason) }
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
