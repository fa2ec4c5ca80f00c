import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import TestSupport
import XCTest

/// A run that was cancelled, and the next, which began before the first had unwound.
@MainActor
final class AuthOverlappingRunsTests: XCTestCase {
  func test_aCancelledRunThatUnwindsLateLeavesTheNextOnesSigningInAlone() async throws {
    for overlap in Overlap.allCases {
      let authenticator = HeldAuthenticator(isStubborn: true)
      let viewModel = AuthViewModel(authenticator: authenticator, overlap: overlap)
      let first = Task { await viewModel.run() }
      viewModel.signIn.send(.of("a"))
      try await authenticator.begun.expect("a")
      first.cancel()
      let second = Task { await viewModel.run() }
      viewModel.signIn.send(.of("b"))
      try await authenticator.begun.expect("b")
      authenticator.answer("a")
      try await within { await first.value }
      XCTAssertTrue(
        viewModel.isSigningIn.value, "\(overlap): the second run's request is under way")
      authenticator.answer("b")
      try await second.cancelAndWait()
      XCTAssertFalse(viewModel.isSigningIn.value, "\(overlap)")
    }
  }

  func test_whatWaitsBehindACancelledSignInIsDoneByTheNextRun() async throws {
    for isStubborn in [false, true] {
      let (viewModel, authenticator, results) = heldSignIn(isStubborn: isStubborn)
      let run = Task { await viewModel.run() }
      for name in ["a", "b", "c"] { viewModel.signIn.send(.of(name)) }
      try await authenticator.begun.expect("a")
      run.cancel()
      for name in ["a", "b", "c"] { authenticator.answer(name) }
      try await within { await run.value }
      try authenticator.begun.finish()
      try await withRunning(viewModel) {
        defer { authenticator.answerAll() }
        try await results.expect(.token(of: "b"))
        try await results.expect(.token(of: "c"))
      }
      try results.finish()
    }
  }
}
