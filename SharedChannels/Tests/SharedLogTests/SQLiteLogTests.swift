import Foundation
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

  func test_aFileThatCannotBeOpenedIsRefused() {
    XCTAssertThrowsError(try SQLiteLog(path: folder.appending(path: "none/log").path)) { error in
      guard case LogFailure.refused = error else { return XCTFail("\(error)") }
    }
  }
}
