import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels
import XCTest

/// What `isSigningIn` says, and what becomes of sign-ins when `run()` is cancelled.
@MainActor
final class AuthRunTests: XCTestCase {
  func test_itIsSigningInFromTheBeginningUntilTheLastResult() async throws {
    try await withTestTime { time in
      for overlap in Overlap.allCases {
        let auth = SigningIn(time, overlap)
        var signsInByTheResult: [Bool] = []
        let token = auth.viewModel.signInResult.observe { [viewModel = auth.viewModel] _ in
          signsInByTheResult.append(viewModel.isSigningIn.value)
        }
        await withRunning(auth.viewModel) {
          for name in ["ann", "stranger"] {
            auth.send(name)
            await time.idle()
            XCTAssertTrue(auth.viewModel.isSigningIn.value, "\(overlap)")
            await time.run()
          }
        }
        XCTAssertEqual(signsInByTheResult, [false, false], "\(overlap)")
        XCTAssertEqual(auth.phases, [false, true, false, true, false], "\(overlap)")
        token.cancel()
      }
    }
  }

  func test_concurrentIsSigningInUntilTheLastAnswer() async throws {
    try await withTestTime { time in
      let auth = SigningIn(time, .concurrent, taking: ["a": 2, "b": 1])
      await withRunning(auth.viewModel) {
        auth.send("a", "b")
        await time.advance(by: .seconds(1))
        XCTAssertEqual(auth.results, [.token(of: "b")])
        XCTAssertEqual(auth.phases, [false, true])
        await time.advance(by: .seconds(1))
        XCTAssertEqual(auth.results, [.token(of: "b"), .token(of: "a")])
      }
      XCTAssertEqual(auth.phases, [false, true, false])
    }
  }

  func test_latestOnlyIsSigningInWithoutAGapWhenOneSupersedesAnother() async throws {
    try await withTestTime { time in
      let auth = SigningIn(time, .latestOnly, taking: ["old": 2, "new": 1], isStubborn: true)
      await withRunning(auth.viewModel) {
        auth.send("old")
        await time.idle()
        auth.send("new")
        await time.advance(by: .seconds(1))
        XCTAssertEqual(auth.results, [.token(of: "new")])
        XCTAssertEqual(
          auth.phases, [false, true, false], "the superseded one, which goes on, does not count")
        await time.run()
      }
      XCTAssertEqual(auth.phases, [false, true, false])
    }
  }

  func test_cancellingRunCancelsTheRequestInFlightWithoutAResult() async throws {
    try await withTestTime { time in
      for overlap in Overlap.allCases {
        for isStubborn in [false, true] {
          let auth = SigningIn(time, overlap, isStubborn: isStubborn)
          let run = auth.run()
          auth.send("ann")
          await time.idle()
          run.cancel()
          await time.run()
          await run.value
          XCTAssertEqual(auth.requests, ["+ann", "xann", "-ann"], "\(overlap)")
          XCTAssertEqual(auth.phases, [false, true, false], "\(overlap)")
          XCTAssertEqual(auth.results, [], "\(overlap)")
        }
      }
    }
  }

  func test_whatIsSentWhileNothingRunsIsDoneByTheNextRun() async throws {
    try await withTestTime { time in
      for overlap in [Overlap.oneAtATime, .concurrent] {
        let auth = SigningIn(time, overlap)
        for name in ["a", "b", "c"] {
          let before = auth.results
          auth.send(name)
          await time.run()
          XCTAssertEqual(auth.results, before, "\(overlap)")
          await withRunning(auth.viewModel) { await time.run() }
          XCTAssertEqual(auth.results, before + [.token(of: name)], "\(overlap)")
        }
      }
    }
  }

  func test_theNextRunMayBeginBeforeTheCancelledOneHasUnwound() async throws {
    try await withTestTime { time in
      for overlap in Overlap.allCases {
        let auth = SigningIn(time, overlap, taking: ["a": 1, "b": 2], isStubborn: true)
        let first = auth.run()
        auth.send("a")
        await time.idle()
        first.cancel()
        auth.send("b")
        let second = auth.run()
        await time.idle()
        XCTAssertEqual(auth.requests, ["+a", "xa", "+b"], "\(overlap)")
        await time.run()
        await first.value
        XCTAssertEqual(auth.results, [.token(of: "b")], "\(overlap)")
        second.cancel()
      }
    }
  }
}
