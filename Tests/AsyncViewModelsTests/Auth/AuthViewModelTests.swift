import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import TestSupport
import XCTest

/// Row: auth view model. Row: inputs and outputs in a protocol.
@MainActor
final class AuthViewModelTests: XCTestCase {
  /// The trap "double authentication".
  func test_itAuthenticatesExactlyOncePerInputHoweverManyListen() async throws {
    let authenticator = HeldAuthenticator()
    let viewModel: any AuthViewModelType = AuthViewModel(authenticator: authenticator)
    let listeners = (0..<10).map { _ in Probe(viewModel.signInResult) }
    for name in ["ann", "bob", "stranger"] { authenticator.answer(name) }
    try await withRunning(viewModel) {
      defer { authenticator.answerAll() }
      viewModel.signIn.send(.of("ann"))
      viewModel.signIn.send(.of("bob"))
      viewModel.signIn.send(.of("stranger"))
      for listener in listeners {
        try await listener.expect(.token(of: "ann"))
        try await listener.expect(.token(of: "bob"))
        try await listener.expect(.failure(.wrongCredentials))
        try listener.finish()
      }
    }
    let begun = try await authenticator.begun.next(3)
    XCTAssertEqual(begun, ["ann", "bob", "stranger"])
    try authenticator.begun.finish()
  }

  func test_itAuthenticatesEvenIfNobodyListens() async throws {
    try await signingIn { viewModel, authenticator, _ in
      viewModel.signIn.send(.of("ann"))
      try await authenticator.begun.expect("ann")
    }
  }

  func test_oneAtATimeAnswersInOrderWhateverAnswersFirst() async throws {
    try await signingIn { viewModel, authenticator, results in
      for name in ["a", "b", "c"] { viewModel.signIn.send(.of(name)) }
      try await authenticator.begun.expect("a")
      authenticator.answer("c")
      authenticator.answer("b")
      authenticator.answer("a")
      for name in ["a", "b", "c"] { try await results.expect(.token(of: name)) }
      try results.finish()
      XCTAssertEqual(authenticator.mostRunning, 1)
    }
  }

  /// The trap "stale answer shown".
  func test_latestOnlyCancelsTheEarlierOneAndNeverShowsItsLateAnswer() async throws {
    try await signingIn(.latestOnly, isStubborn: true) { viewModel, authenticator, results in
      viewModel.signIn.send(.of("old"))
      try await authenticator.begun.expect("old")
      viewModel.signIn.send(.of("new"))
      try await authenticator.begun.expect("new")
      try await authenticator.cancelled.expect("old")
      authenticator.answer("new")
      try await results.expect(.token(of: "new"))
      authenticator.answer("old")
      _ = try await authenticator.returned.next(where: { $0 == "old" })
      authenticator.answer("last")
      viewModel.signIn.send(.of("last"))
      try await results.expect(.token(of: "last"))
      try results.finish()
    }
  }

  func test_latestOnlyDiscardsAnEarlierAnswerThatComesFirst() async throws {
    try await signingIn(.latestOnly, isStubborn: true) { viewModel, authenticator, results in
      for name in ["old", "older", "new"] {
        viewModel.signIn.send(.of(name))
        try await authenticator.begun.expect(name)
      }
      authenticator.answer("old")
      authenticator.answer("older")
      _ = try await authenticator.returned.next(2)
      XCTAssertTrue(viewModel.isSigningIn.value)
      authenticator.answer("new")
      try await results.expect(.token(of: "new"))
      try results.finish()
    }
  }

  func test_concurrentGivesTheAnswersAsTheyCome() async throws {
    try await signingIn(.concurrent) { viewModel, authenticator, results in
      for name in ["a", "b", "c"] { viewModel.signIn.send(.of(name)) }
      let begun = try await authenticator.begun.next(3)
      XCTAssertEqual(Set(begun), ["a", "b", "c"])
      for name in ["b", "c", "a"] {
        authenticator.answer(name)
        try await results.expect(.token(of: name))
      }
      try results.finish()
      try authenticator.cancelled.finish()
    }
  }

  func test_aFailureIsAResultAndTheNextInputIsAnswered() async throws {
    for overlap in Overlap.allCases {
      try await signingIn(overlap) { viewModel, authenticator, results in
        authenticator.answer("stranger")
        authenticator.answer("ann")
        viewModel.signIn.send(.of("stranger"))
        try await results.expect(.failure(.wrongCredentials))
        viewModel.signIn.send(.of("ann"))
        try await results.expect(.token(of: "ann"))
      }
    }
  }
}
