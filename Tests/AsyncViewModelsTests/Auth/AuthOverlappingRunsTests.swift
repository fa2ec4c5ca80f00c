import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels
import XCTest

/// A run that was cancelled, and the next, which began before the first had unwound.
@MainActor
final class AuthOverlappingRunsTests: XCTestCase {
  func test_aCancelledRunThatUnwindsLateLeavesTheNextOnesSigningInAlone() async throws {
    try await withTestTime { time in
      for overlap in Overlap.allCases {
        let auth = SigningIn(time, overlap, taking: ["a": 1, "b": 2], isStubborn: true)
        let first = auth.run()
        auth.send("a")
        await time.idle()
        first.cancel()
        let second = auth.run()
        auth.send("b")
        await time.advance(by: .seconds(1))
        await first.value
        XCTAssertEqual(auth.requests, ["+a", "xa", "+b", "-a"], "\(overlap)")
        XCTAssertTrue(
          auth.viewModel.isSigningIn.value, "\(overlap): the second run's request is under way")
        second.cancel()
        await time.run()
        await second.value
        XCTAssertFalse(auth.viewModel.isSigningIn.value, "\(overlap)")
      }
    }
  }

  func test_whatWaitsBehindACancelledSignInIsDoneByTheNextRun() async throws {
    try await withTestTime { time in
      for isStubborn in [false, true] {
        let auth = SigningIn(time, isStubborn: isStubborn)
        let run = auth.run()
        auth.send("a", "b", "c")
        await time.idle()
        run.cancel()
        await time.run()
        await run.value
        XCTAssertEqual(auth.requests, ["+a", "xa", "-a"])
        XCTAssertEqual(auth.results, [])
        await withRunning(auth.viewModel) { await time.run() }
        XCTAssertEqual(auth.results, [.token(of: "b"), .token(of: "c")])
      }
    }
  }
}
