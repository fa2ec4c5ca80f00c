import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import Foundation
import TestSupport
import XCTest

/// The traps that the package is there to close. Each is one attack, made on the naive subject,
/// where it must succeed, and on the package's type, where it must not.
@MainActor
final class TrapsTests: XCTestCase {
  /// Row: input-only type.
  func test_exposedSubject() async throws {
    guard let compiler = TypeChecker() else { throw XCTSkip("There is no swiftc in the path.") }
    let naive = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "NaiveSubject.swift")
    let errors = try await compiler.errors(in: [
      "NaiveSubject.swift": try String(contentsOf: naive, encoding: .utf8),
      "Naive.swift": "func attack(_ output: NaiveSubject<Int>) { output.send(99) }",
      "Ours.swift": """
      import AsyncChannels
      func attack(_ output: Outlet<Int>) { output.send(99) }
      """,
    ])
    XCTAssertEqual(Set(errors.keys), ["Ours.swift"], "\(errors)")
  }

  /// Row: auth view model.
  func test_doubleAuthentication() async throws {
    func requests(_ flow: some SignInFlow) async -> Int {
      for _ in 0..<3 { flow.listen() }
      await flow.signInAndWait("ann")
      return flow.requestCount
    }
    try await withTestTime { time in
      let naive = await requests(NaiveSignIn())
      XCTAssertEqual(naive, 3)
      let ours = await requests(OurSignIn(time))
      XCTAssertEqual(ours, 1)
    }
  }

  /// Row: split binding.
  func test_echo() async throws {
    func shownAfterLateOutput(_ field: some SlowField) async -> String {
      field.type("もしもn")
      field.type("もしもの")
      await field.letFirstOutputCome()
      return field.shown
    }
    try await withTestTime { time in
      let naive = await shownAfterLateOutput(NaiveField())
      XCTAssertEqual(naive, "もしもn")
      let ours = await shownAfterLateOutput(OurField(time))
      XCTAssertEqual(ours, "もしもの")
    }
  }

  /// Row: observers render the new state, not the old.
  func test_oldStateRendered() async throws {
    func rendered(_ state: some ObservedState) async -> String {
      await state.firstReading(after: { state.set("new") })
    }
    try await withTestTime { time in
      let naive = await rendered(NaiveState())
      XCTAssertEqual(naive, "old")
      let byObservation = await rendered(OurTrackedState())
      XCTAssertEqual(byObservation, "new")
      let byOutlet = await rendered(OurObservedState(time))
      XCTAssertEqual(byOutlet, "new")
    }
  }

  func test_firstFrameWithoutTheState() async throws {
    func firstFrame(_ screen: some Screen) -> String {
      screen.appear()
      return screen.text
    }
    XCTAssertEqual(firstFrame(NaiveFirstFrame()), "")
    XCTAssertEqual(firstFrame(OurFirstFrame()), "loading")
  }

  func test_staleAnswerShown() async throws {
    func shown(_ screen: some AnsweringScreen) async -> String {
      for id in [2, 1] { await screen.ask(id) }
      for _ in 1...2 { await screen.letNextAnswerCome() }
      return screen.shown
    }
    try await withTestTime { time in
      let naive = await shown(NaiveScreen())
      XCTAssertEqual(naive, "user 2")
      let ours = await shown(OurScreen(time))
      XCTAssertEqual(ours, "user 1")
    }
  }

  func test_lostElementOnLateSubscription() async throws {
    try await withTestTime { time in
      @MainActor func received(_ stream: some ListenedStream) async -> [String] {
        stream.beginListening()
        stream.send("first")
        await time.idle()
        stream.send("second")
        await time.idle()
        return stream.received
      }
      let naive = await received(NaiveStream())
      XCTAssertEqual(naive, ["second"])
      let ours = await received(OurStream())
      XCTAssertEqual(ours, ["first", "second"])
    }
  }
}
