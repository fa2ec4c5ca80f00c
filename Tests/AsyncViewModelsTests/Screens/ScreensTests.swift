import AsyncChannels
import AsyncChannelsTesting
import Foundation
import TestSupport
import XCTest

/// Five screens as users of the package write them, each in a file of its own.
@MainActor
final class ScreensTests: XCTestCase {
  func test_theSearchScreenAsksForTheLastQueryOnlyAndShowsHitsOrAnError() async throws {
    let clock = TestClock()
    let asked = Record<String>()
    let screen = SearchScreen(clock: clock) { query throws(SearchFailure) in
      asked.add(query)
      if query.isEmpty { throw .emptyQuery }
      return ["\(query) 1", "\(query) 2"]
    }
    let pause = Duration.milliseconds(300)
    let (shown, busy) = (Probe(screen.$result), Probe(screen.$isSearching))
    try await shown.expect(.success([]))
    try await withRunning(screen) {
      for query in ["s", "sw", "swift"] { screen.query.send(query) }
      try await clock.pass(pause)
      try await shown.expect(.success(["swift 1", "swift 2"]))
      screen.query.send("")
      try await clock.pass(pause)
      try await shown.expect(.failure(.emptyQuery))
      screen.query.send("actor")
      try await clock.untilAsleep(for: pause)
    }
    // The view went before it was quiet, and comes back.
    try await withRunning(screen) {
      try await clock.pass(pause)
      try await shown.expect(.success(["actor 1", "actor 2"]))
    }
    XCTAssertEqual(asked.events, ["swift", "", "actor"])
    let phases = try await busy.next(7)
    XCTAssertEqual(phases, [false, true, false, true, false, true, false])
    try shown.finish()
    try busy.finish()
  }

  func test_theFormSendsOnceHoweverOftenTheButtonIsTapped() async throws {
    let gate = Gate()
    let sent = Record<SignUp>()
    let form = SignUpForm { signUp throws(SignUpFailure) in
      sent.add(signUp)
      await gate.pass()
      if signUp.name == "ann" { throw .nameIsTaken }
      return "welcome"
    }
    let (outcomes, busy) = (Probe(form.$outcome), Probe(form.$isSending))
    try await outcomes.expect(nil)
    try await busy.expect(false)
    XCTAssertFalse(form.canSubmit.value)
    (form.name, form.mail, form.password) = ("ann", "ann@example.org", "12345678")
    XCTAssertTrue(form.canSubmit.value)
    try await withRunning(form) {
      form.submit.send()
      try await busy.expect(true)
      XCTAssertFalse(form.canSubmit.value)
      form.submit.send()
      form.submit.send()
      gate.open()
      try await outcomes.expect(.failure(.nameIsTaken))
      form.name = "eve"
      form.submit.send()
      try await outcomes.expect(.success("welcome"))
    }
    XCTAssertEqual(sent.events.map(\.name), ["ann", "eve"])
    try outcomes.finish()
  }

  func test_threeViewModelsShareAChatRoom() async throws {
    let room = ChatRoom()
    let composer = Composer(in: room, as: "Ann")
    let shown = Probe(Messages(of: room).shown)
    let title = Probe(People(of: room).title)
    try await shown.expect([])
    try await title.expect("0 here")
    try await withRunning(room.run) {
      try await withRunning(composer) {
        try await title.expect("1 here")
        composer.draft = "hello"
        composer.send.send()
        try await shown.expect(["Ann: hello"])
        XCTAssertEqual(composer.draft, "")
        // Nothing is typed, and nothing said.
        composer.send.send()
      }
      try await title.expect("0 here")
      room.say.send(Message(author: "Ann", text: "is anybody here?"))
      room.join.send("Bob")
      try await title.expect("1 here")
    }
    try shown.finish()
    try title.finish()
  }

  func test_eachRowOfTheListRunsAsLongAsItIsThere() async throws {
    let progress = ["a": Channel<Int>(), "b": Channel<Int>()]
    let list = Downloads { progress[$0]?.outlet ?? .empty }
    let rows = Probe(list.$rows.map { $0.map(\.name) })
    try await rows.expect([])
    try await withRunning(list) {
      list.add.send("a")
      try await rows.expect(["a"])
      list.add.send("b")
      try await rows.expect(["a", "b"])
      try await until("both run") { progress.values.allSatisfy { $0.subscriberCount == 1 } }
      let percent = Probe(list.rows[1].$percent)
      try await percent.expect(0)
      progress["b"]?.send(50)
      try await percent.expect(50)
      list.remove.send("a")
      try await rows.expect(["b"])
      try await until("one has ended") { progress["a"]?.subscriberCount == 0 }
    }
    XCTAssertEqual(progress["b"]?.subscriberCount, 0)
    try rows.finish()
  }

  func test_theControllerShowsItsStateImmediatelyAndFollowsIt() async throws {
    let controller = CounterController()
    controller.viewDidLoad()
    XCTAssertEqual(controller.label.text, "0")
    controller.button.taps.send()
    controller.button.taps.send()
    let deadline = ContinuousClock.now + .seconds(20)
    while controller.label.text != "2", ContinuousClock.now < deadline { await Task.yield() }
    XCTAssertEqual(controller.label.text, "2")
  }

  /// A test of this package sees what is the package's; these files must not need it.
  func test_theScreensCompileOutsideOfThePackage() async throws {
    guard let compiler = TypeChecker() else { throw XCTSkip("There is no swiftc in the path.") }
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0 != "ScreensTests.swift" }
    XCTAssertEqual(files.count, 5)
    let sources = try Dictionary(
      uniqueKeysWithValues: files.map {
        ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
      })
    let errors = try await compiler.errors(in: sources, options: ["-warnings-as-errors"])
    XCTAssertEqual(errors.mapValues { $0.map(\.description) }, [:])
  }
}
