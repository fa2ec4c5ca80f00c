import Foundation
import GRDB
import SharedChannels
import SharedLogConformance
import SharedLogSQLite
import XCTest

final class SQLiteLogTests: XCTestCase {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  override func setUpWithError() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  override func tearDownWithError() throws {
    try FileManager.default.removeItem(at: folder)
  }

  func test_itConforms() async throws {
    for check in LogConformance.Check.allCases {
      try await LogConformance(SQLiteEngine(folder: folder)).run(check)
    }
  }

  func test_severalMayMakeAFileAtTheSameTime() async throws {
    for round in 0..<50 {
      let path = folder.appending(path: "new \(round)").path
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { _ = try SQLiteLog(path: path) } }
        try await group.waitForAll()
      }
    }
  }

  func test_aProcessThatAcknowledgesBeforeItAppendsIsFound() async throws {
    // The kill has to come between the two, so it may take several tries.
    for _ in 0..<20 {
      do {
        let engine = SQLiteEngine(folder: folder, isEarly: true)
        try await LogConformance(engine).run(.killedAppender)
      } catch is ConformanceFailure { return }
    }
    XCTFail("not found in 20 tries")
  }

  func test_aProcessThatIsKilledWhileItAppendsLosesNothingAndNoStateGoesBack() async throws {
    try await requireNothingIsLost(rounds: 3) { neighbour in
      try await neighbour.start()
      try await Task.sleep(for: .milliseconds(.random(in: 0...200)))
      try await neighbour.kill()
    }
  }

  func test_aProcessThatStandsStillInATransactionLosesNothingAndNoStateGoesBack() async throws {
    let log = try SQLiteEngine(folder: folder).open("log")
    try await requireNothingIsLost(rounds: 1) { neighbour in
      try await neighbour.start()
      try await neighbour.freeze(log)
      // Longer than the others wait for its lock.
      try await Task.sleep(for: .seconds(6))
      await neighbour.thaw()
    } mend: { neighbour in
      try await neighbour.kill()
    }
  }

  func test_aDiskThatIsFullLosesNothingAndNoStateGoesBack() async throws {
    let disk = try SmallDisk(megabytes: 32)
    defer { disk.remove() }
    try await SharedLogTests.requireNothingIsLost(rounds: 2) {
      try SQLiteEngine(folder: disk.folder).open("log")
    } fault: {
      try await disk.fillForAWhile()
    }
  }

  func test_anAppendThatIsCancelledDoesNotWaitForAFileThatIsLocked() async throws {
    let path = folder.appending(path: "log").path
    let log = try SQLiteLog(path: path)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let append = Task { try await log.append([Keyed(key: "k", Data("1".utf8))]) }
    // So that most trials cancel a wait, and not what has not begun. Both have to end soon.
    try await Task.sleep(for: .milliseconds(200))
    append.cancel()
    // Without the cancelling, it would wait for five seconds.
    let result = try await within(.seconds(4)) {
      await append.result
    } orSay: {
      "it waits for the file"
    }
    XCTAssertThrowsError(try result.get())
    try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    let receipts = try await log.append([Keyed(key: "k", Data("1".utf8))])
    XCTAssertFalse(receipts[0].isRepeated)
  }

  /// The faults are those of a process that appends to the file beside the channels of this process.
  private func requireNothingIsLost(
    rounds: Int, fault: @Sendable (Neighbour) async throws -> Void,
    mend: @Sendable (Neighbour) async throws -> Void = { _ in }
  ) async throws {
    let engine = SQLiteEngine(folder: folder)
    let command = try XCTUnwrap(engine.appender("log"))
    let neighbour = Neighbour(command, lines: folder.appending(path: "lines"))
    do {
      try await SharedLogTests.requireNothingIsLost(rounds: rounds) {
        try engine.open("log")
      } fault: {
        try await fault(neighbour)
      } mend: { _ in
        try await mend(neighbour)
      } others: {
        try await neighbour.history(in: $0)
      }
    } catch {
      try? await neighbour.kill()
      throw error
    }
  }

  func test_aFileThatCannotBeOpenedIsRefused() {
    XCTAssertThrowsError(try SQLiteLog(path: folder.appending(path: "none/log").path)) { error in
      guard case LogFailure.refused = error else { return XCTFail("\(error)") }
    }
  }
}
