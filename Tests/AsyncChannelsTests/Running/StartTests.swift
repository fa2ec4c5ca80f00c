import AsyncChannelsRunning
import AsyncChannelsTesting
import TestSupport
import XCTest

/// C60.
@MainActor
final class StartTests: XCTestCase {
  private let events = Record<String>()

  func test_C60a_C60b_itRunsFromALaterTurnUntilItsTokenIsCancelledOrDropped() async throws {
    try await withTestTime { [events] time in
      for isDropped in [false, true] {
        let echo = Echo(events)
        let outputs = Probe(echo.output)
        echo.input.send(1)
        var token = Optional(echo.start())
        XCTAssertEqual(events.events, [])
        await time.idle()
        XCTAssertEqual(outputs.values, [1])
        XCTAssertEqual(events.take(), ["begins"])
        if isDropped { token = nil } else { token?.cancel() }
        await time.idle()
        XCTAssertEqual(events.take(), ["cancelled", "ends"])
        // What comes meanwhile waits for the next run.
        echo.input.send(2)
        await time.idle()
        XCTAssertEqual(outputs.values, [1])
        token = echo.start()
        await time.idle()
        XCTAssertEqual(outputs.values, [1, 2])
        token?.cancel()
        await time.idle()
        _ = events.take()
      }
    }
  }

  func test_C60_debuggersShowWhoseRunATaskIs() async throws {
    @MainActor
    final class Named: ViewModel {
      var name: String?
      func run() async {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { name = Task.name }
      }
    }
    try await withTestTime { time in
      let named = Named()
      let token = named.start()
      await time.idle()
      if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        XCTAssertEqual(named.name, "Named.run")
      }
      token.cancel()
    }
  }

  func test_C60c_itDoesNotRunIfTheTokenHasEndedBefore() async throws {
    try await withTestTime { [events] time in
      for isDropped in [false, true] {
        var echo = Optional(Echo(events))
        weak let same = echo
        var token = echo?.start()
        if isDropped { token = nil } else { token?.cancel() }
        echo = nil
        await time.idle()
        XCTAssertNil(same)
        XCTAssertEqual(events.events, [])
        withExtendedLifetime(token) {}
      }
    }
  }

  func test_C60d_theTokensOwnerDecidesHowLongTheViewModelLives() async throws {
    try await withTestTime { [events] time in
      var echo = Optional(Echo(events))
      weak let same = echo
      let outputs = Probe(try XCTUnwrap(echo?.output))
      let input = try XCTUnwrap(echo?.input)
      var token = echo?.start()
      echo = nil
      input.send(1)
      await time.idle()
      XCTAssertEqual(outputs.values, [1])
      XCTAssertNotNil(same)
      XCTAssertNotNil(token)
      token = nil
      await time.idle()
      XCTAssertNil(same)
      XCTAssertEqual(input.send(2), .finished(2))
      try await outputs.expect(1)
      try await outputs.expectFinished()
    }
  }

  func test_C60a_C60d_aRunThatReturnsByItselfLetsGoAndIsNotStartedAgain() async throws {
    try await withTestTime { [events] time in
      var passage = Optional(Passage(time.clock, events))
      weak let same = passage
      let token = passage?.start()
      passage = nil
      await time.idle()
      XCTAssertEqual(events.events, ["begins"])
      XCTAssertNotNil(same)
      await time.advance(by: .seconds(1))
      XCTAssertNil(same)
      XCTAssertEqual(events.events, ["begins", "ends"])
      token?.cancel()
    }
  }

  func test_C60e_whereATokenIsReplacedTheFirstRunIsCancelledBeforeTheNextBegins() async throws {
    try await withTestTime(orders: .random(50, seed: 1)) { time in
      let events = Record<String>()
      let echo = Echo(events)
      let outputs = Probe(echo.output)
      var token = echo.start()
      echo.input.send(1)
      await time.idle()
      token = echo.start()
      echo.input.send(2)
      await time.idle()
      XCTAssertEqual(outputs.values, [1, 2], "seed \(time.seed ?? 0)")
      XCTAssertEqual(events.events.prefix(2), ["begins", "cancelled"], "seed \(time.seed ?? 0)")
      token.cancel()
      await time.idle()
      XCTAssertEqual(
        events.events.sorted(), ["begins", "begins", "cancelled", "cancelled", "ends", "ends"],
        "seed \(time.seed ?? 0)")
    }
  }
}

@MainActor
private final class Echo: ViewModel {
  @Input var input: Inlet<Int>
  @Output var output: Outlet<Int>
  private let events: Record<String>

  init(_ events: Record<String>) {
    self.events = events
  }

  func run() async {
    events.add("begins")
    await withTaskCancellationHandler {
      for await number in _input.received { _output.send(number) }
    } onCancel: {
      events.add("cancelled")
    }
    events.add("ends")
  }
}

@MainActor
private final class Passage: ViewModel {
  private let clock: TestClock
  private let events: Record<String>

  init(_ clock: TestClock, _ events: Record<String>) {
    self.clock = clock
    self.events = events
  }

  func run() async {
    events.add("begins")
    await clock.sleepThrough(.seconds(1))
    events.add("ends")
  }
}
