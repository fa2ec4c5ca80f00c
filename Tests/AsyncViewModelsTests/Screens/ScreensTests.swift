import AsyncChannelsRunning
import AsyncChannelsTesting
import Foundation
import TestSupport
import XCTest

/// Five screens as users of the package write them, each in a file of its own.
@MainActor
final class ScreensTests: XCTestCase {
  func test_theSearchScreenAsksForTheLastQueryOnlyAndShowsHitsOrAnError() async throws {
    try await withTestTime { time in
      let asked = Record<String>()
      let screen = SearchScreen(clock: time.clock) { query throws(SearchFailure) in
        asked.add(query)
        if query.isEmpty { throw .emptyQuery }
        return ["\(query) 1", "\(query) 2"]
      }
      let pause = Duration.milliseconds(300)
      let (shown, busy) = (Probe(screen.$result), Probe(screen.$isSearching))
      await withRunning(screen) {
        for query in ["s", "sw", "swift"] { screen.query.send(query) }
        await time.advance(by: pause)
        screen.query.send("")
        await time.advance(by: pause)
        screen.query.send("actor")
        await time.advance(by: pause / 2)
      }
      XCTAssertEqual(
        shown.values, [.success([]), .success(["swift 1", "swift 2"]), .failure(.emptyQuery)])
      // The view went before it was quiet, and comes back.
      await withRunning(screen) { await time.advance(by: pause) }
      XCTAssertEqual(shown.values.last, .success(["actor 1", "actor 2"]))
      XCTAssertEqual(asked.events, ["swift", "", "actor"])
      XCTAssertEqual(busy.values, [false, true, false, true, false, true, false])
    }
  }

  func test_theFormSendsOnceHoweverOftenTheButtonIsTapped() async throws {
    try await withTestTime { time in
      let sent = Record<SignUp>()
      let form = SignUpForm { signUp throws(SignUpFailure) in
        sent.add(signUp)
        try? await time.clock.sleep(for: .seconds(1))
        if signUp.name == "ann" { throw .nameIsTaken }
        return "welcome"
      }
      let (outcomes, busy) = (Probe(form.$outcome), Probe(form.$isSending))
      XCTAssertFalse(form.canSubmit.value)
      (form.name, form.mail, form.password) = ("ann", "ann@example.org", "12345678")
      XCTAssertTrue(form.canSubmit.value)
      await withRunning(form) {
        form.submit.send()
        await time.idle()
        XCTAssertEqual(busy.values, [false, true])
        XCTAssertFalse(form.canSubmit.value)
        form.submit.send()
        form.submit.send()
        await time.run()
        form.name = "eve"
        form.submit.send()
        await time.run()
      }
      XCTAssertEqual(outcomes.values, [nil, .failure(.nameIsTaken), .success("welcome")])
      XCTAssertEqual(sent.events.map(\.name), ["ann", "eve"])
    }
  }

  func test_threeViewModelsShareAChatRoom() async throws {
    try await withTestTime { time in
      let room = ChatRoom()
      let composer = Composer(in: room, as: "Ann")
      let shown = Probe(Messages(of: room).shown)
      let title = Probe(People(of: room).title)
      await withRunning(room.run) {
        await withRunning(composer) {
          await time.idle()
          composer.draft = "hello"
          composer.send.send()
          await time.idle()
          XCTAssertEqual(composer.draft, "")
          // Nothing is typed, and nothing said.
          composer.send.send()
          await time.idle()
        }
        room.say.send(Message(author: "Ann", text: "is anybody here?"))
        room.join.send("Bob")
        await time.idle()
      }
      XCTAssertEqual(shown.values, [[], ["Ann: hello"]])
      XCTAssertEqual(title.values, ["0 here", "1 here", "0 here", "1 here"])
    }
  }

  func test_eachRowOfTheListRunsAsLongAsItIsThere() async throws {
    try await withTestTime { time in
      let progress = ["a": Channel<Int>(), "b": Channel<Int>()]
      let list = Downloads { progress[$0]?.outlet ?? .empty }
      let rows = Probe(list.$rows)
      await withRunning(list) {
        list.add.send("a")
        list.add.send("b")
        await time.idle()
        XCTAssertEqual(progress.mapValues(\.subscriberCount), ["a": 1, "b": 1])
        let percent = Probe(list.rows[1].$percent)
        progress["b"]?.send(50)
        list.remove.send("a")
        await time.idle()
        XCTAssertEqual(percent.values, [0, 50])
        XCTAssertEqual(progress.mapValues(\.subscriberCount), ["a": 0, "b": 1])
      }
      XCTAssertEqual(progress["b"]?.subscriberCount, 0)
      XCTAssertEqual(rows.values.map { $0.map(\.name) }, [[], ["a"], ["a", "b"], ["b"]])
    }
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
