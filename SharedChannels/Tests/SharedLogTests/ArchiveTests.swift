import AsyncChannels
import Foundation
import GRDB
import SharedChannels
import SharedLogConformance
import SharedLogPostgreSQL
import SharedLogSQLite
import XCTest

/// `sharedlog verify`, `export` and `import`.
final class ArchiveTests: XCTestCase {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")

  override func setUp() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  override func tearDown() async throws { try FileManager.default.removeItem(at: folder) }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  func test_aLogGoesThroughAnArchiveToSQLite() async throws {
    try await requireRoundTrip(to: ["sqlite", path("other")], SQLiteLog(path: path("other")))
  }

  func test_aLogGoesThroughAnArchiveToPostgreSQL() async throws {
    guard let address = ProcessInfo.processInfo.environment["SHARED_LOG_POSTGRES"] else {
      throw XCTSkip("there is no PostgreSQL in SHARED_LOG_POSTGRES")
    }
    let schema = "archive" + UUID().uuidString.lowercased().filter(\.isHexDigit).prefix(16)
    addTeardownBlock {
      _ = try PostgresEngine(address: address).query("DROP SCHEMA \(schema) CASCADE")
    }
    let log = PostgresLog(try PostgresAddress(address), schema: schema)
    try await requireRoundTrip(to: ["postgres", address, schema], log)
  }

  /// Of a log of which some entries were deleted: the oldest for their age, and others with a person.
  private func requireRoundTrip(
    to name: [String], _ other: @autoclosure () throws -> any SharedLog
  ) async throws {
    let log = try SQLiteLog(path: path("log"))
    let state = try await run(on: log) { channel in
      for number in 1...25 { try await ask("\(number)", channel) }
      try await channel.deleteCommands { ["20", "21"].contains($0.key) }
      for number in 26...30 { try await ask("\(number)", channel) }
      let snapshot = try await log.snapshot(upToVersion: 1)
      _ = try await log.compact(before: 6, behind: try XCTUnwrap(snapshot).position)
    }
    let archive = try export(["sqlite", path("log")])
    let imported = try tool(["import", archive] + name)
    XCTAssertEqual(imported.status, 0, imported.error)

    let (entries, copies) = (try await allEntries(of: log), try await allEntries(of: other()))
    XCTAssertEqual(copies.map(\.key), entries.map(\.key))
    XCTAssertEqual(copies.map(\.value), entries.map(\.value))
    XCTAssertEqual(copies.map(\.position.index), (2..<copies.count + 2).map { Int64($0) })
    XCTAssertTrue((6...30).allSatisfy { ($0 / 2 == 10) != copies.map(\.key).contains("\($0)") })

    // Its archive is the same, but for the indexes, and can be imported as well.
    let text = try String(contentsOfFile: archive, encoding: .utf8)
    let again = try tool(["export"] + name).output
    XCTAssertEqual(
      again.replacing(/"index":\d+/, with: ""), text.replacing(/"index":\d+/, with: ""))
    let refused = try tool(["import", archive] + name)
    XCTAssertEqual(refused.status, 1)
    XCTAssertTrue(refused.error.contains("the log has entries"), refused.error)
    let verified = try tool(["verify"] + name)
    XCTAssertEqual(verified.status, 0, verified.error)
    XCTAssertTrue(verified.output.contains("none is missing from 2 on"), verified.output)

    // A server goes on with it, and knows the keys.
    let copy = try await run(on: try other()) { try await ask("30", $0) }
    XCTAssertEqual(copy, state)
  }

  func test_aWholeLogIsOneAgain_withBytesThatNoProgramCanDecode() async throws {
    let log = try SQLiteLog(path: path("log"))
    // More than one chunk of the file, and more than one batch.
    let large = (1...2_500).map { Keyed(key: "\($0) ~", Data([1, 0xFF, 0x0A]) + Data(count: $0)) }
    _ = try await log.append(large)
    let place = try await log.append([Keyed(key: "last", Data(count: 5 << 20))])[0].position
    for version in [3, 7] {
      try await log.keep(Snapshot(version: version, position: place, data: Data(count: 3 << 20)))
    }
    let imported = try tool("import", export(["sqlite", path("log")]), "sqlite", path("other"))
    XCTAssertEqual(imported.status, 0, imported.error)
    let other = try SQLiteLog(path: path("other"))
    let (entries, copies) = (try await allEntries(of: log), try await allEntries(of: other))
    XCTAssertEqual(copies.map(\.key), entries.map(\.key))
    XCTAssertEqual(copies.map(\.value), entries.map(\.value))
    XCTAssertEqual(copies.map(\.position.index), Array(1...2_501))
    for version in [3, 7] {
      let snapshot = try await other.snapshot(upToVersion: version)
      XCTAssertEqual(snapshot?.version, version)
      XCTAssertEqual(snapshot?.position, copies.last?.position)
      XCTAssertEqual(snapshot?.data, Data(count: 3 << 20))
    }
  }

  func test_whatIsNoWholeArchiveIsRefusedBeforeALogIsMade() async throws {
    let begin = #"{"archive":{"format":1}}"#
    func entry(_ index: Int, _ key: String = "k") -> String {
      #"{"entry":{"data":"","index":\#(index),"key":"\#(key)\#(index)"}}"#
    }
    func snapshot(_ index: Int, version: Int = 1) -> String {
      #"{"snapshot":{"data":"","index":\#(index),"version":\#(version)}}"#
    }
    func end(_ count: Int) -> String { #"{"end":{"entries":\#(count)}}"# }
    let cases = [
      ([], "has no end"),
      (["hello"], "line 1"),
      ([end(0)], "does not begin"),
      ([#"{"archive":{"format":2}}"#, end(0)], "format 2"),
      ([begin, entry(1)], "has no end"),
      ([begin, entry(1), "{"], "line 3"),
      ([begin, entry(1), end(2)], "1 of 2 entries"),
      ([begin, entry(1), end(1), entry(2)], "after the end"),
      ([begin, entry(1), begin, end(1)], "another archive begins"),
      ([begin, entry(2), entry(2), end(2)], "the entry 2 comes after 2"),
      ([begin, entry(1, #"\n"#), end(1)], "printable characters"),
      ([begin, entry(1), snapshot(1), end(1)], "a snapshot comes after an entry"),
      ([begin, snapshot(2), entry(1), end(1)], "at the entry 2"),
      ([begin, snapshot(1), entry(1), entry(3), end(2)], "before 3 are missing"),
      ([begin, entry(2), end(1)], "before 2 are missing"),
      ([begin, snapshot(1, version: 0), entry(1), end(1)], "the version 0"),
      ([begin, snapshot(1), snapshot(1), entry(1), end(1)], "the version 1"),
      ([begin, snapshot(1), snapshot(1, version: 2), entry(1), end(1)], "the version 2"),
    ]
    for (lines, reason) in cases {
      let file = path("bad")
      try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: file))
      let result = try tool("import", file, "sqlite", path("made"))
      XCTAssertEqual(result.status, 1, "\(lines)")
      XCTAssertTrue(result.error.contains(reason), "\(lines): \(result.error)")
      XCTAssertFalse(FileManager.default.fileExists(atPath: path("made")), "\(lines)")
    }
    XCTAssertEqual(try tool("import", path("none"), "sqlite", path("made")).status, 1)
    // A pipe has nothing more when it is read a second time.
    try Data((begin + "\n" + end(0) + "\n").utf8).write(to: URL(filePath: path("whole")))
    let program = worker.deletingLastPathComponent().appending(path: "sharedlog").path
    let pipe =
      "cat \(path("whole")) | \(program) import /dev/stdin sqlite \(path("made")) 2>&1 || true"
    let output = try execute("bash", ["-c", pipe])
    XCTAssertTrue(output.contains("no pipe"), output)
    XCTAssertFalse(FileManager.default.fileExists(atPath: path("made")))
  }

  func test_aLogWithoutEntriesIsNoBackup() async throws {
    _ = try SQLiteLog(path: path("log"))
    for command in ["verify", "export"] {
      let result = try tool(command, "sqlite", path("log"))
      XCTAssertEqual(result.status, 1)
      XCTAssertTrue(result.error.contains("the log has no entries"), result.error)
      XCTAssertFalse(result.output.contains(#"{"end""#))
    }
  }

  /// Until the snapshots are there, nobody could make a state of the entries.
  func test_aLogInWhichAnArchiveIsNotWholeIsNotServed_andRefused() async throws {
    let log = try SQLiteLog(path: path("log"))
    let entry = Keyed(key: "k", Data(#""k""#.utf8))
    _ = try await log.append([Keyed(key: "archive", Data([1])), entry])
    for command in ["verify", "export"] {
      let result = try tool(command, "sqlite", path("log"))
      XCTAssertEqual(result.status, 1)
      XCTAssertTrue(result.error.contains("an archive is not whole"), result.error)
    }
    let channel = SharedChannel(Tally(), log: log)
    let running = Task { await channel.run() }
    let health = await channel.health.first { $0.readFailure != nil }
    XCTAssertEqual(health?.isServing, false)
    XCTAssertEqual(channel.state.value.value.count, 0)
    channel.finish()
    await running.value
  }

  func test_twoEntriesWithOneKeyInAnArchiveAreNoticed() async throws {
    let lines = [
      #"{"archive":{"format":1}}"#, #"{"entry":{"data":"","index":1,"key":"k"}}"#,
      #"{"entry":{"data":"","index":2,"key":"k"}}"#, #"{"end":{"entries":2}}"#,
    ]
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: path("bad")))
    let result = try tool("import", path("bad"), "sqlite", path("made"))
    XCTAssertEqual(result.status, 1)
    XCTAssertTrue(result.error.contains("is not whole"), result.error)
  }

  func test_aHoleInALogIsFound_andThatNoStateCanBeMadeOfIt() async throws {
    let log = try SQLiteLog(path: path("log"))
    try await run(on: log) { channel in
      for number in 1...8 { try await ask("\(number)", channel) }
    }
    try await log.blank(try await allEntries(of: log)[2].position)
    let whole = try tool("verify", "sqlite", path("log"))
    XCTAssertEqual(whole.status, 0, whole.error)
    XCTAssertEqual(
      whole.output, "entries: 8, 1 of them blank, the last at 8\nappended by versions: 1\n")
    try await DatabaseQueue(path: path("log")).write {
      try $0.execute(sql: #"DELETE FROM entry WHERE "index" = 5"#)
    }
    for command in ["verify", "export"] {
      let result = try tool(command, "sqlite", path("log"))
      XCTAssertEqual(result.status, 1)
      XCTAssertTrue(result.error.contains("entries before 6 are missing"), result.error)
      XCTAssertFalse(result.output.contains(#"{"end""#))
    }
    // With a snapshot behind the hole, a server can go on.
    let place = try await log.end()
    try await log.keep(Snapshot(version: 1, position: place, data: Data("{}".utf8)))
    let covered = try tool("verify", "sqlite", path("log"))
    XCTAssertEqual(covered.status, 0, covered.error)
    XCTAssertTrue(
      covered.output.contains("version 1: the snapshot at 8, and 0 entries"), covered.output)
  }

  func test_entriesThatAreDeletedDuringAnExportAreLeftOut() async throws {
    let log = try SQLiteLog(path: path("log"))
    let entries = (1...900).map { Keyed(key: "\($0)", Data(count: 10_000)) }
    let place = try await log.append(entries)[699].position
    try await log.keep(Snapshot(version: 1, position: place, data: Data("{}".utf8)))
    // It has read a page, and waits for its reader.
    let (status, output) = try await export { [log] in
      while try await log.compact(before: 600, behind: place) > 0 {}
    }
    XCTAssertEqual(status, 0)
    try Data(output).write(to: URL(filePath: path("archive")))
    let imported = try tool("import", path("archive"), "sqlite", path("other"))
    XCTAssertEqual(imported.status, 0, imported.error)
    let copies = try await allEntries(of: SQLiteLog(path: path("other"))).map(\.key)
    XCTAssertEqual(copies.suffix(301), (600...900).map { "\($0)" })
  }

  func test_aLogThatChangesBehindAnExportIsNotTakenForWhole() async throws {
    let log = try SQLiteLog(path: path("log"))
    let places = try await log.append((1...3).map { Keyed(key: "\($0)", Data("1".utf8)) })
    let snapshot = Snapshot(version: 1, position: places[2].position, data: Data(count: 1 << 20))
    try await log.keep(snapshot)
    let (status, output) = try await export { [log] in try await log.blank(places[1].position) }
    XCTAssertEqual(status, 1)
    XCTAssertFalse(String(decoding: output, as: UTF8.self).contains(#"{"end""#))
  }

  /// Does something while an export of the log waits for its reader.
  private func export(
    during body: @Sendable () async throws -> Void
  ) async throws -> (status: Int32, output: Data) {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = worker.deletingLastPathComponent().appending(path: "sharedlog")
    process.arguments = ["export", "sqlite", path("log")]
    (process.standardOutput, process.standardError) = (pipe, FileHandle.nullDevice)
    try process.start()
    // More than the header, so that it is in the middle of what does not fit into the pipe.
    var output = Data()
    while output.count < 4_096,
      let part = try pipe.fileHandleForReading.read(upToCount: 4_096), !part.isEmpty
    {
      output += part
    }
    try await body()
    output += try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }

  /// - Returns: The archive's path.
  private func export(_ log: [String]) throws -> String {
    let exported = try tool(["export"] + log)
    XCTAssertEqual(exported.status, 0, exported.error)
    try Data(exported.output.utf8).write(to: URL(filePath: path("archive")))
    return path("archive")
  }

  /// - Returns: The state at the end.
  @discardableResult
  private func run(
    on log: any SharedLog, _ body: (SharedChannel<Tally>) async throws -> Void
  ) async throws -> Tally {
    let channel = SharedChannel(Tally(), log: log, snapshotInterval: 10)
    let running = Task { await channel.run() }
    try await body(channel)
    channel.finish()
    await running.value
    return channel.state.value.value
  }

  /// Again while the channel begins anew.
  private func ask(_ key: String, _ channel: SharedChannel<Tally>) async throws {
    try await within(.seconds(20)) {
      while await channel.commands.ask(Keyed(key: key, key)) == nil {
        try await Task.sleep(for: .milliseconds(5))
      }
    } orSay: {
      "no answer: \(channel.health.value)"
    }
  }
}
