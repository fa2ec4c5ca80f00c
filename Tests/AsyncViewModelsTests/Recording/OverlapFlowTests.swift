import AsyncChannels
import AsyncChannelsRecording
import AsyncChannelsTesting
import AsyncViewModels
import TestSupport
import XCTest

/// C87: what two overlapping sign-ins look like, for each way of overlapping. The same text in each run.
@MainActor
final class OverlapFlowTests: XCTestCase {
  func test_C87_oneAtATimeTheSecondWaitsForTheFirst() async throws {
    try await expect(
      .oneAtATime, waitingFor: ["a"], answering: ["a", "b"],
      """
      ├───────●             │          success(Token(…)) ← #1
      │       ◆             │          success(Token(…)) taken
      ◆       │             │          #2 taken
      ├─────────────────────●          false ← #2
      ├───────●             │          success(Token(…)) ← #2
      │       ◆             │          success(Token(…)) taken

      """)
  }

  func test_C87_latestOnlyTheFirstIsSuperseded() async throws {
    try await expect(
      .latestOnly, waitingFor: ["a", "b"], answering: ["b"],
      """
      ◆       │             │          #2 taken
      ⊘       │             │          #1 superseded
      ├─────────────────────●          false ← #2
      ├───────●             │          success(Token(…)) ← #2
      │       ◆             │          success(Token(…)) taken

      """)
  }

  func test_C87_firstOnlyTheSecondIsIgnored() async throws {
    try await expect(
      .firstOnly, waitingFor: ["a"], answering: ["a"],
      """
      ◆       │             │          #2 taken
      ⊘       │             │          #2 ignored
      ├─────────────────────●          false ← #1
      ├───────●             │          success(Token(…)) ← #1
      │       ◆             │          success(Token(…)) taken

      """)
  }

  func test_C87_concurrentTheSecondAnswersFirst() async throws {
    try await expect(
      .concurrent, waitingFor: ["a", "b"], answering: ["b", "a"],
      """
      ◆       │             │          #2 taken
      ├───────●             │          success(Token(…)) ← #2
      │       ◆             │          success(Token(…)) taken
      ├─────────────────────●          false ← #1
      ├───────●             │          success(Token(…)) ← #1
      │       ◆             │          success(Token(…)) taken

      """)
  }

  func test_C86_eachOutletGivesTheSameRecordedOrNot() async throws {
    for overlap in Overlap.allCases {
      for _ in 0..<25 {
        let plain = try await sequences(overlap, isRecorded: false)
        let recorded = try await sequences(overlap, isRecorded: true)
        XCTAssertEqual(recorded.busy, plain.busy, "\(overlap)")
        XCTAssertEqual(recorded.results, plain.results, "\(overlap)")
      }
    }
  }

  /// - Parameter rest: What follows the beginning, which all have in common.
  private func expect(
    _ overlap: Overlap, waitingFor begun: [String], answering names: [String], _ rest: String,
    line: UInt = #line
  ) async throws {
    let beginning = """
      AuthViewModel
      signIn  signInResult  signingIn
      ●       │             │          #1 Credentials(username: "a", password: …)
      ●       │             │          #2 Credentials(username: "b", password: …)
      ◆       │             │          #1 taken
      ├─────────────────────●          true ← #1

      """
    for _ in 0..<20 {
      let flow = try await flow(overlap, waitingFor: begun, answering: names)
      XCTAssertEqual(flow, beginning + rest, line: line)
    }
  }

  /// Two sign-ins, the second while the first is under way.
  private func flow(
    _ overlap: Overlap, waitingFor begun: [String], answering names: [String]
  ) async throws -> String {
    let authenticator = HeldAuthenticator()
    let viewModel = AuthViewModel(authenticator: authenticator, overlap: overlap)
    let recording = Recording(of: viewModel)
    let results = Probe(viewModel.signInResult)
    return try await withRunning(viewModel) {
      defer { authenticator.answerAll() }
      viewModel.signIn.send(.of("a"))
      try await authenticator.begun.expect("a")
      viewModel.signIn.send(.of("b"))
      for name in begun.dropFirst() { try await authenticator.begun.expect(name) }
      for name in names {
        authenticator.answer(name)
        try await results.expect(.token(of: name))
      }
      return recording.text(legend: false)
    }
  }

  /// What comes of three sign-ins, one after the other.
  private func sequences(
    _ overlap: Overlap, isRecorded: Bool
  ) async throws -> (busy: [Bool], results: [Result<Token, AuthError>]) {
    let authenticator = HeldAuthenticator()
    authenticator.answerAll()
    let viewModel = AuthViewModel(authenticator: authenticator, overlap: overlap)
    let recording = isRecorded ? Recording(of: viewModel) : nil
    let busy = Probe(viewModel.isSigningIn)
    let results = viewModel.signInResult.subscribe()
    var got: [Result<Token, AuthError>] = []
    let seen = try await withRunning(viewModel) {
      for name in ["a", "stranger", "c"] {
        viewModel.signIn.send(.of(name))
        if let result = await results.next() { got.append(result) }
      }
      return try await busy.next(7)
    }
    try busy.finish()
    if let recording { XCTAssertTrue(recording.text(legend: false).contains("#3 taken")) }
    return (seen, got)
  }
}
