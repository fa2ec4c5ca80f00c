import AsyncChannels
import Foundation
import SharedChannels
import SharedLogConformance
import SharedLogSQLite
import XCTest

/// The command `sharedlog`.
final class ToolTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path

  override func tearDown() {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  func test_itPrintsEntriesAndMakesOneBlankOnWhichEachMachineTraps() async throws {
    let log = try SQLiteLog(path: path)
    let channel = SharedChannel(Slots(), log: log, author: "one")
    async let running: Void = channel.run()
    for key in ["a", "b"] { _ = await channel.commands.ask(Keyed(key: key, 1)) }
    channel.finish()
    await running
    // It traps wherever it is applied, and a terminal would obey its key.
    _ = try await log.append([
      Keyed(key: "bad\u{1B}", Data("99".utf8)), Keyed(key: "c", Data("7".utf8)),
    ])

    let lines = try tool("entries", "sqlite", path).output.split(separator: "\n")
    XCTAssertEqual(lines.count, 4)
    let first = lines[0].split(separator: "\t")
    XCTAssertEqual([0, 2, 3, 4, 5].map { first[$0] }, ["1", "1", "one", "a", "1"])
    XCTAssertNotNil(try? Date(String(first[1]), strategy: .iso8601))
    XCTAssertEqual(lines[2], "3\t-\t-\t-\tbad\\u{1B}\t99")
    let rest = try tool("entries", "sqlite", path, "4").output
    XCTAssertEqual(rest, "4\t-\t-\t-\tc\t7\n")

    let blanked = try tool("blank", "sqlite", path, "3")
    XCTAssertEqual(blanked.status, 0)
    XCTAssertTrue(blanked.output.hasSuffix("3\t-\t-\t-\tbad\\u{1B}\t99\n"), blanked.output)
    XCTAssertEqual(
      try tool("entries", "sqlite", path, "3").output.split(separator: "\n")[0],
      "3\t-\t-\t-\tbad\\u{1B}\t(blank)")
    XCTAssertEqual(try tool("blank", "sqlite", path, "3").status, 1)
    let later = SharedChannel(Slots(), log: try SQLiteLog(path: path))
    async let runningLater: Void = later.run()
    let outcome = await later.commands.ask(Keyed(key: "d", 1))
    guard case .applied(3, at: _)? = outcome else {
      return XCTFail("\(String(describing: outcome))")
    }
    later.finish()
    await runningLater
  }

  func test_itDeletesEntriesThatASnapshotHas() async throws {
    let log = try SQLiteLog(path: path)
    let channel = SharedChannel(Slots(), log: log, snapshotInterval: 5)
    async let running: Void = channel.run()
    for number in 1...7 { _ = await channel.commands.ask(Keyed(key: "\(number)", 1)) }
    try await within(.seconds(20)) {
      while try await log.snapshot(upToVersion: 1) == nil { await Task.yield() }
    } orSay: {
      "there is no snapshot"
    }
    channel.finish()
    await running
    let other = try tool("compact", "sqlite", path, "4", "2")
    XCTAssertEqual(other.status, 1)
    XCTAssertTrue(other.error.contains("the log has no snapshot of version 2"), other.error)
    XCTAssertEqual(try tool("compact", "sqlite", path, "4", "1").output, "3 entries are deleted.\n")
    XCTAssertEqual(
      try tool("compact", "sqlite", path, "99", "1").output, "1 entries are deleted.\n")
    let lines = try tool("entries", "sqlite", path).output.split(separator: "\n")
    XCTAssertEqual(lines.map { $0.split(separator: "\t")[0] }, ["5", "6", "7"])
    XCTAssertEqual(try tool("compact", "sqlite", path).status, 64)
  }

  func test_whatItCannotDoItSays() throws {
    XCTAssertEqual(try tool().status, 64)
    XCTAssertEqual(try tool("forget", "sqlite", path).status, 64)
    let file = try tool("entries", "sqlite", path)
    XCTAssertEqual(file.status, 1)
    XCTAssertTrue(file.error.contains("there is no file \(path)"), file.error)
    XCTAssertFalse(FileManager.default.fileExists(atPath: path))
    _ = try SQLiteLog(path: path)
    XCTAssertEqual(try tool("blank", "sqlite", path, "x").status, 64)
    XCTAssertEqual(try tool("entries", "sqlite", path, "1", "2").status, 64)
    let missing = try tool("blank", "sqlite", path, "7")
    XCTAssertEqual(missing.status, 1)
    XCTAssertTrue(missing.error.contains("the log has no entry 7"), missing.error)
    XCTAssertEqual(try tool("entries", "postgres", "postgresql://h/d", "No Name").status, 64)
  }
}

/// Ten slots, as those of `SharedLogWorker fragile`.
private struct Slots: SharedState {
  private var counts = [Int](repeating: 0, count: 10)

  mutating func apply(_ slot: Int) -> Int {
    counts[slot] += 1
    return counts[slot]
  }
}
