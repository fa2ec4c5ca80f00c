import AsyncChannelsTesting
import TestSupport
import XCTest

@testable import AsyncChannels

/// C60.
@MainActor
final class StartTests: XCTestCase {
  private let events = Record<String>()

  func test_C60_itRunsFromALaterTurnUntilItsTokenIsCancelledOrDropped() async throws {
    for isDropped in [false, true] {
      let events = Record<String>()
      let echo = Echo(events)
      let probe = Probe(echo.output)
      echo.input.send(1)
      var token = Optional(echo.start())
      XCTAssertEqual(events.events, [])
      try await probe.expect(1)
      if isDropped { token = nil } else { token?.cancel() }
      try await until("ended") { events.events == ["begins", "cancelled", "ends"] }
      // What comes meanwhile waits for the next run.
      echo.input.send(2)
      token = echo.start()
      try await probe.expect(2)
      try probe.finish()
      withExtendedLifetime(token) {}
    }
  }

  func test_C60_itDoesNotRunIfTheTokenHasEndedBefore() async throws {
    for isDropped in [false, true] {
      var echo = Optional(Echo(events))
      weak let same = echo
      var token = echo?.start()
      if isDropped { token = nil } else { token?.cancel() }
      echo = nil
      // The task has ended when it has let go of it.
      try await until("let go") { same == nil }
      XCTAssertEqual(events.events, [])
      withExtendedLifetime(token) {}
    }
  }

  func test_C60_theTokensOwnerDecidesHowLongTheViewModelLives() async throws {
    var echo = Optional(Echo(events))
    weak let same = echo
    let probe = Probe(try XCTUnwrap(echo?.output))
    let input = try XCTUnwrap(echo?.input)
    var token = echo?.start()
    echo = nil
    input.send(1)
    try await probe.expect(1)
    XCTAssertNotNil(same)
    XCTAssertNotNil(token)
    token = nil
    try await until("let go") { same == nil }
    XCTAssertEqual(input.send(2), .finished(2))
    try await probe.expectFinished()
  }

  func test_C60_aRunThatReturnsByItselfLetsGoAndIsNotStartedAgain() async throws {
    let gate = Gate()
    var passage = Optional(Passage(gate, events))
    weak let same = passage
    let token = passage?.start()
    passage = nil
    try await until("begun") { [events] in events.count == 1 }
    XCTAssertNotNil(same)
    gate.open()
    try await until("let go") { same == nil }
    XCTAssertEqual(events.events, ["begins", "ends"])
    token?.cancel()
  }

  func test_C60_whereATokenIsReplacedTheFirstRunIsCancelledBeforeTheNextBegins() async throws {
    for _ in 0..<100 {
      let events = Record<String>()
      let echo = Echo(events)
      let probe = Probe(echo.output)
      var token = echo.start()
      echo.input.send(1)
      try await probe.expect(1)
      token = echo.start()
      echo.input.send(2)
      try await probe.expect(2)
      XCTAssertEqual(events.events.prefix(2), ["begins", "cancelled"])
      withExtendedLifetime(token) {}
      token.cancel()
      try await until("both have ended") { events.events.count { $0 == "ends" } == 2 }
      XCTAssertEqual(events.events.count { $0 == "begins" }, 2)
      try probe.finish()
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
  private let gate: Gate
  private let events: Record<String>

  init(_ gate: Gate, _ events: Record<String>) {
    self.gate = gate
    self.events = events
  }

  func run() async {
    events.add("begins")
    await gate.pass()
    events.add("ends")
  }
}
