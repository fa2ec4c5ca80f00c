import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import TestSupport
import XCTest

/// What `isSigningIn` says, and what becomes of sign-ins when `run()` is cancelled.
@MainActor
final class AuthRunTests: XCTestCase {
  func test_itIsSigningInFromTheBeginningUntilTheLastResult() async throws {
    for overlap in Overlap.allCases {
      let (viewModel, authenticator, results) = heldSignIn(overlap)
      let phases = Probe(viewModel.isSigningIn)
      try await phases.expect(false)
      try await withRunning(viewModel) {
        defer { authenticator.answerAll() }
        for name in ["ann", "stranger"] {
          viewModel.signIn.send(.of(name))
          try await authenticator.begun.expect(name)
          XCTAssertTrue(viewModel.isSigningIn.value, "\(overlap)")
          authenticator.answer(name)
          _ = try await results.next()
          XCTAssertFalse(viewModel.isSigningIn.value, "\(overlap): by the time of the result")
        }
      }
      let rest = try await phases.next(4)
      XCTAssertEqual(rest, [true, false, true, false], "\(overlap)")
      try phases.finish()
    }
  }

  func test_concurrentIsSigningInUntilTheLastAnswer() async throws {
    let (viewModel, authenticator, results) = heldSignIn(.concurrent)
    let phases = Probe(viewModel.isSigningIn)
    try await withRunning(viewModel) {
      defer { authenticator.answerAll() }
      viewModel.signIn.send(.of("a"))
      viewModel.signIn.send(.of("b"))
      _ = try await authenticator.begun.next(2)
      authenticator.answer("b")
      try await results.expect(.token(of: "b"))
      XCTAssertTrue(viewModel.isSigningIn.value)
      authenticator.answer("a")
      try await results.expect(.token(of: "a"))
      XCTAssertFalse(viewModel.isSigningIn.value)
    }
    let seen = try await phases.next(3)
    XCTAssertEqual(seen, [false, true, false])
    try phases.finish()
  }

  func test_latestOnlyIsSigningInWithoutAGapWhenOneSupersedesAnother() async throws {
    let (viewModel, authenticator, results) = heldSignIn(.latestOnly, isStubborn: true)
    let phases = Probe(viewModel.isSigningIn)
    try await withRunning(viewModel) {
      defer { authenticator.answerAll() }
      viewModel.signIn.send(.of("old"))
      try await authenticator.begun.expect("old")
      viewModel.signIn.send(.of("new"))
      try await authenticator.begun.expect("new")
      authenticator.answer("new")
      try await results.expect(.token(of: "new"))
      XCTAssertFalse(
        viewModel.isSigningIn.value, "the superseded one, which goes on, does not count")
      authenticator.answer("old")
    }
    let seen = try await phases.next(3)
    XCTAssertEqual(seen, [false, true, false])
    try phases.finish()
  }

  func test_cancellingRunCancelsTheRequestInFlightWithoutAResult() async throws {
    for overlap in Overlap.allCases {
      for isStubborn in [false, true] {
        let (viewModel, authenticator, results) = heldSignIn(overlap, isStubborn: isStubborn)
        let run = Task { await viewModel.run() }
        viewModel.signIn.send(.of("ann"))
        try await authenticator.begun.expect("ann")
        run.cancel()
        try await authenticator.cancelled.expect("ann")
        authenticator.answer("ann")
        try await within { await run.value }
        XCTAssertFalse(viewModel.isSigningIn.value, "\(overlap)")
        try results.finish()
      }
    }
  }

  func test_whatIsSentWhileNothingRunsIsDoneByTheNextRun() async throws {
    for overlap in [Overlap.oneAtATime, .concurrent] {
      let (viewModel, authenticator, results) = heldSignIn(overlap)
      for name in ["a", "b", "c"] { authenticator.answer(name) }
      viewModel.signIn.send(.of("a"))
      try results.finish()
      try await withRunning(viewModel) { try await results.expect(.token(of: "a")) }
      viewModel.signIn.send(.of("b"))
      try await withRunning(viewModel) { try await results.expect(.token(of: "b")) }
      viewModel.signIn.send(.of("c"))
      try await withRunning(viewModel) { try await results.expect(.token(of: "c")) }
      try results.finish()
    }
  }

  func test_theNextRunMayBeginBeforeTheCancelledOneHasUnwound() async throws {
    for overlap in Overlap.allCases {
      let (viewModel, authenticator, results) = heldSignIn(overlap, isStubborn: true)
      let first = Task { await viewModel.run() }
      viewModel.signIn.send(.of("a"))
      try await authenticator.begun.expect("a")
      first.cancel()
      viewModel.signIn.send(.of("b"))
      let second = Task { await viewModel.run() }
      try await authenticator.begun.expect("b", within: .seconds(20))
      authenticator.answer("a")
      try await within { await first.value }
      authenticator.answer("b")
      try await results.expect(.token(of: "b"))
      try results.finish()
      try await second.cancelAndWait()
    }
  }
}
