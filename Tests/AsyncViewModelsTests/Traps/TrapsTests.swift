import AsyncChannels
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
    func requests(_ flow: some SignInFlow) async throws -> Int {
      for _ in 0..<3 { flow.listen() }
      try await flow.signInAndWait("ann")
      return flow.requestCount
    }
    let naive = try await requests(NaiveSignIn())
    XCTAssertEqual(naive, 3)
    let ours = try await requests(OurSignIn())
    XCTAssertEqual(ours, 1)
  }

  /// Row: split binding.
  func test_echo() async throws {
    func shownAfterLateOutput(_ field: some SlowField) async throws -> String {
      field.type("もしもn")
      field.type("もしもの")
      try await field.letFirstOutputCome()
      return field.shown
    }
    let naive = try await shownAfterLateOutput(NaiveField())
    XCTAssertEqual(naive, "もしもn")
    let ours = try await shownAfterLateOutput(OurField())
    XCTAssertEqual(ours, "もしもの")
  }

  /// Row: observers render the new state, not the old.
  func test_oldStateRendered() async throws {
    func rendered(_ state: some ObservedState) async throws -> String {
      try await state.firstReading(after: { state.set("new") })
    }
    let naive = try await rendered(NaiveState())
    XCTAssertEqual(naive, "old")
    let byObservation = try await rendered(OurTrackedState())
    XCTAssertEqual(byObservation, "new")
    let byOutlet = try await rendered(OurObservedState())
    XCTAssertEqual(byOutlet, "new")
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
    func shown(_ screen: some AnsweringScreen) async throws -> String {
      try await screen.ask(1)
      try await screen.ask(2)
      try await screen.answer(2)
      try await screen.answer(1)
      return try await screen.shown()
    }
    let naive = try await shown(NaiveScreen())
    XCTAssertEqual(naive, "user 1")
    let ours = try await shown(OurScreen())
    XCTAssertEqual(ours, "user 2")
  }

  func test_lostElementOnLateSubscription() async throws {
    func received(_ stream: some ListenedStream) async throws -> [String] {
      stream.beginListening()
      stream.send("first")
      try await stream.letListenerRun()
      stream.send("second")
      return try await stream.received()
    }
    let naive = try await received(NaiveStream())
    XCTAssertEqual(naive, ["second"])
    let ours = try await received(OurStream())
    XCTAssertEqual(ours, ["first", "second"])
  }
}
