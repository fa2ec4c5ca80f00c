import AsyncChannelsRecording
import XCTest

@testable import AsyncChannelsTesting

/// Where the runtime keeps what test time reads.
final class RuntimeCheckTests: XCTestCase {
  @MainActor
  func test_C96_aRuntimeThatKeepsJobsElsewhereIsSaid() async {
    XCTAssertNil(RuntimeCheck.failure)
    let sentence = RuntimeCheck.sentence(wrong: ["the numbers of tasks", "the ends of tasks"])
    XCTAssertTrue(
      sentence?.hasPrefix(
        "The runtime of this version of Swift keeps the numbers of tasks and the ends of tasks")
        == true)
  }
}

/// Where the runtime does not tell of the jobs, a test says so, and does not run its closure in some other time.
final class UnseenJobsTests: XCTestCase {
  @MainActor
  func test_C96_aTestThatDoesNotSeeItsJobsFails() async throws {
    let place = SourceLocation(fileID: #fileID, line: #line)
    var hasRun = false
    do {
      let run = TestRun(.asReady, stepLimit: 100, at: place, seesJobs: false)
      try await run.run(LentBody { _ in hasRun = true })
      XCTFail("it passed")
    } catch {
      let sentence = "\(error)"
      XCTAssertTrue(sentence.contains("The runtime does not tell this test of the jobs"), sentence)
    }
    XCTAssertFalse(hasRun)
    // The next one is as usual.
    try await withTestTime { time in
      await time.advance(by: .seconds(1))
      hasRun = true
    }
    XCTAssertTrue(hasRun)
  }
}
