import AsyncChannelsRecording
import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels
import XCTest

/// C87: what two overlapping sign-ins look like, for each way of overlapping. The same text in each run.
@MainActor
final class OverlapFlowTests: XCTestCase {
  func test_C87a_oneAtATimeTheSecondWaitsForTheFirst() async throws {
    try await expect(
      .oneAtATime,
      """
      ├───────●             │          success(Token(…)) ← #1
      │       ◆             │          success(Token(…)) taken
      ◆       │             │          #2 taken
      ├─────────────────────●          false ← #2
      ├───────●             │          success(Token(…)) ← #2
      │       ◆             │          success(Token(…)) taken

      """)
  }

  func test_C87a_latestOnlyTheFirstIsSuperseded() async throws {
    try await expect(
      .latestOnly,
      """
      ◆       │             │          #2 taken
      ⊘       │             │          #1 superseded
      ├─────────────────────●          false ← #2
      ├───────●             │          success(Token(…)) ← #2
      │       ◆             │          success(Token(…)) taken

      """)
  }

  func test_C87a_firstOnlyTheSecondIsIgnored() async throws {
    try await expect(
      .firstOnly,
      """
      ◆       │             │          #2 taken
      ⊘       │             │          #2 ignored
      ├─────────────────────●          false ← #1
      ├───────●             │          success(Token(…)) ← #1
      │       ◆             │          success(Token(…)) taken

      """)
  }

  func test_C87a_C87c_concurrentTheSecondAnswersFirst() async throws {
    try await expect(
      .concurrent,
      """
      ◆       │             │          #2 taken
      ├───────●             │          success(Token(…)) ← #2
      │       ◆             │          success(Token(…)) taken
      ├─────────────────────●          false ← #1
      ├───────●             │          success(Token(…)) ← #1
      │       ◆             │          success(Token(…)) taken

      """)
  }

  func test_C86a_eachOutletGivesTheSameRecordedOrNot() async throws {
    try await withTestTime { time in
      for overlap in Overlap.allCases {
        let plain = SigningIn(time, overlap)
        let recorded = SigningIn(time, overlap)
        let recording = Recording(of: recorded.viewModel)
        await withRunning(plain.viewModel, recorded.viewModel) {
          for name in ["a", "stranger", "c"] {
            plain.send(name)
            recorded.send(name)
            await time.run()
          }
        }
        XCTAssertEqual(plain.results.count, 3, "\(overlap)")
        XCTAssertEqual(recorded.results, plain.results, "\(overlap)")
        XCTAssertEqual(recorded.phases, plain.phases, "\(overlap)")
        XCTAssertTrue(recording.text().contains("#3 taken"), "\(overlap)")
      }
    }
  }

  /// Two sign-ins, the second while the first is under way. The second would answer first.
  ///
  /// - Parameter rest: What follows the beginning, which all have in common.
  private func expect(_ overlap: Overlap, _ rest: String, line: UInt = #line) async throws {
    let beginning = """
      AuthViewModel
      signIn  signInResult  signingIn
      ●       │             │          #1 Credentials(username: "a", password: …)
      ●       │             │          #2 Credentials(username: "b", password: …)
      ◆       │             │          #1 taken
      ├─────────────────────●          true ← #1

      """
    try await withTestTime { time in
      let auth = SigningIn(time, overlap, taking: ["a": 2, "b": 1])
      let recording = Recording(of: auth.viewModel)
      let results = auth.viewModel.signInResult.subscribe()
      let listener = Task { for await _ in results {} }
      await withRunning(auth.viewModel) {
        auth.send("a")
        await time.idle()
        auth.send("b")
        await time.run()
        XCTAssertEqual(recording.text(legend: false), beginning + rest, line: line)
      }
      listener.cancel()
    }
  }
}
