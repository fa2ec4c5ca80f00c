import AsyncChannelsRecording
import AsyncChannelsTesting
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRunning

/// C86: what is shown as a cause is one.
final class CauseTests: XCTestCase {
  private let first = Channel<Int>()
  private let second = Channel<Int>()

  private func recording() -> Recording {
    let recording = Recording()
    recording.add(first, as: "first")
    recording.add(second, as: "second")
    return recording
  }

  func test_C86d_C87c_aLoopCausesWhatItSendsUntilItAsksAgain() async {
    let recording = recording()
    let received = first.outlet.subscribe()
    for number in 1...2 { first.send(number) }
    first.finish()
    for await number in received { second.send(number * 10) }
    second.send(99)
    XCTAssertEqual(
      recording.text(legend: false),
      """
      first  second
      ●      │       #1 1
      ●      │       #2 2
      ■      │       finished
      ◆      │       #1 taken
      ├──────●       10 ← #1
      ◆      │       #2 taken
      ├──────●       20 ← #2
             ●       #3 99

      """)
  }

  func test_C86d_anElementOfABoundedSubscriptionIsACauseToo() async {
    let recording = recording()
    let received = first.outlet.subscribe(buffering: .bufferingNewest(3))
    for number in 1...2 { first.send(number) }
    first.finish()
    for await number in received { second.send(number * 10) }
    let sent = recording.flow.events.filter { $0.kind == .sent }
    XCTAssertEqual(sent.map(\.cause), [nil, nil, sent[0].id, sent[1].id])
  }

  func test_C86d_anAnswersWorkCarriesTheCause() async {
    for overlap in Overlap.allCases {
      let recording = recording()
      let received = first.outlet.subscribe()
      let run = Task { [second] in
        await received.answer(
          OverlapRule(overlap), by: { second.send($0 * 10) }, publish: { _, _ in })
      }
      let worked = second.outlet.subscribe()
      first.send(1)
      _ = await worked.next()
      run.cancel()
      await run.value
      let sent = recording.flow.events.filter { $0.kind == .sent }
      XCTAssertEqual(sent.map(\.cause), [nil, sent[0].id], "\(overlap)")
    }
  }

  func test_C86d_whatIsReportedOfAnElementIsNotCausedByTheNextOneThatIsReady() async {
    let recording = recording()
    let busy = Channel<Bool>()
    recording.add(busy, as: "busy")
    let received = first.outlet.subscribe()
    for number in 1...2 { first.send(number) }
    first.finish()
    await received.answer(
      .each({ $0 == 1 ? .latestOnly : .concurrent }), busy: busy.inlet, by: { $0 },
      publish: { _, _ in })
    let sent = recording.flow.events.filter { $0.kind == .sent }
    XCTAssertEqual(sent.map(\.text), ["1", "2", "true", "false"])
    XCTAssertEqual(sent[2].cause, sent[0].id)
  }

  /// One task publishes both.
  @MainActor
  func test_C86d_answersThatAreReadyTogetherAreCausedByTheirElements() async throws {
    let (recording, first, second) = (recording(), first, second)
    try await withTestTime { time in
      let (received, gate) = (first.outlet.subscribe(), Gate())
      let run = Task {
        await received.answer(.concurrent) { number in
          await gate.pass()
          return number
        } publish: {
          second.send($1 * 10)
        }
      }
      for number in 1...2 { first.send(number) }
      await time.idle()
      gate.open()
      await time.idle()
      run.cancel()
      await run.value
    }
    let sent = recording.flow.events.filter { $0.kind == .sent }
    XCTAssertEqual(sent.map(\.text), ["1", "2", "10", "20"])
    XCTAssertEqual(sent.map(\.cause), [nil, nil, sent[0].id, sent[1].id])
  }

  /// The call is cancelled between the take and the work.
  func test_C86d_anElementOfACancelledCallCausesNothingAfterIt() async {
    let recording = recording()
    let received = first.outlet.subscribe()
    first.send(1)
    await Task { [second] in
      await received.answer(
        busy: Inlet { if $0 { cancelThisTask() } }, by: { $0 }, publish: { _, _ in })
      second.send(99)
    }.value
    XCTAssertEqual(received.pendingCount, 0)
    XCTAssertEqual(recording.flow.events.compactMap(\.cause), [])
  }

  func test_C86d_anElementCausesWhatIsSentWhenItsProgressIsPublished() async {
    let recording = recording()
    let received = first.outlet.subscribe()
    for number in 1...2 { first.send(number) }
    first.finish()
    await received.answerWithProgress { (number: Int, progress: Inlet<Int>) in
      _ = progress.send(number * 10)
    } progress: { [second] _, percent in
      second.send(percent)
    } publish: { _, _ in
    }
    let sent = recording.flow.events.filter { $0.kind == .sent }
    XCTAssertEqual(sent.map(\.cause), [nil, nil, sent[0].id, sent[1].id])
  }

  func test_C86d_bindAndObserveCarryTheCause() async throws {
    let recording = recording()
    let third = Channel<Int>()
    recording.add(third, as: "third")
    let probe = Probe(third.outlet)
    let token = second.outlet.observe(third.inlet.send)
    let received = first.outlet.subscribe()
    first.send(7)
    first.finish()
    await received.bind(to: second.inlet)
    try await probe.expect(7)
    token.cancel()
    let sent = recording.flow.events.filter { $0.kind == .sent }
    XCTAssertEqual(sent.map(\.cause), [nil, sent[0].id, sent[1].id])
  }

  func test_C86e_aScriptThatWaitsForAnOutputCausesNothing() async {
    let recording = recording()
    let results = second.outlet.subscribe()
    second.send(1)
    _ = await results.next()
    first.send(2)
    XCTAssertEqual(recording.flow.events.compactMap(\.cause), [])
  }

  func test_C86e_whatAProbeFindsAtItsDeadlineCausesNothing() async throws {
    let recording = recording()
    let probe = Probe(second.outlet)
    for number in 1...20 {
      second.send(number)
      try await probe.expect(number, within: .zero)
      first.send(number)
    }
    second.send(0)
    XCTAssertThrowsError(try probe.finish())
    first.send(0)
    XCTAssertEqual(recording.flow.events.compactMap(\.cause), [])
  }

  func test_C86e_whatAnOwnerTakesFromItsInputByHandIsACause() async {
    let machine = Machine()
    let recording = Recording(of: machine)
    machine.start.send(1)
    machine.start.send(2)
    await machine.step()
    await machine.step()
    let sent = recording.flow.events.filter { $0.kind == .sent }
    XCTAssertEqual(sent.map(\.cause), [nil, nil, sent[0].id, sent[1].id])
  }

  func test_C86d_aTaskThatHasEndedIsNotTakenForALaterOne() async {
    let recording = recording()
    let received = first.outlet.subscribe()
    for number in 0..<200 {
      first.send(number)
      await Task { for await _ in received { break } }.value
      await Task { [second] in _ = second.send(number) }.value
    }
    XCTAssertEqual(recording.flow.events.compactMap(\.cause), [])
  }

  func test_C86d_whatALoopCausedEndsWithTheLoop() async {
    let recording = recording()
    do {
      let numbers = first.outlet.makeAsyncIterator()
      first.send(1)
      if let number = await numbers.next() { second.send(number) }
    }
    second.send(2)
    let sent = recording.flow.events.filter { $0.kind == .sent }
    XCTAssertEqual(sent.map(\.cause), [nil, sent[0].id, nil])
  }

  /// The subscription lives on, and nobody asks it again.
  func test_C86d_aLoopThatIsLeftByBreakCausesNothingThatComesLater() async {
    let recording = recording()
    let received = first.outlet.subscribe()
    for number in 1...2 { first.send(number) }
    for await number in received {
      second.send(number * 10)
      break
    }
    second.send(99)
    for await number in received {
      second.send(number * 10)
      break
    }
    second.send(99)
    let sent = recording.flow.events.filter { $0.kind == .sent }
    XCTAssertEqual(sent.map(\.cause), [nil, nil, sent[0].id, nil, sent[1].id, nil])
    withExtendedLifetime(received) {}
  }

  func test_C86d_ofTwoLoopsOneInTheOtherTheOuterOneStaysTheCauseWhenTheInnerIsLeft() async {
    let recording = recording()
    let third = Channel<Int>()
    recording.add(third, as: "third")
    let (outer, inner) = (first.outlet.subscribe(), second.outlet.subscribe())
    first.send(1)
    second.send(2)
    for await number in outer {
      for await other in inner {
        third.send(number + other)
        break
      }
      third.send(number)
      break
    }
    third.send(0)
    let sent = recording.flow.events.filter { $0.kind == .sent }
    XCTAssertEqual(sent.map(\.cause), [nil, nil, sent[1].id, sent[0].id, nil])
    withExtendedLifetime((outer, inner)) {}
  }

  func test_C86d_noRecordingShowsACauseThatAnotherHasRecorded() async {
    let (one, other) = (Recording(), Recording())
    one.add(first, as: "first")
    other.add(second, as: "second")
    let received = first.outlet.subscribe()
    first.send(1)
    first.finish()
    for await number in received { second.send(number) }
    XCTAssertEqual(one.flow.events.compactMap(\.cause), [])
    XCTAssertEqual(other.flow.events.map(\.cause), [nil])
  }

  func test_C85c_derivedInletsHaveTheirNamesAndAnArrow() async {
    let player = Player()
    let recording = Recording()
    await recording.add(player)
    player.play.send()
    player.seek.send(5)
    XCTAssertEqual(
      recording.text(legend: false),
      """
      Player
      commands  play  seek
      ●─────────○     │     #1 play
      ●───────────────○     #2 seek(5)

      """)
  }

  func test_C85a_storedInletsAreLanesAndOnesWithNothingBehindToo() async {
    let spy = Spy()
    let recording = Recording(of: spy)
    spy.add.send("Ann")
    spy.double.send(2)
    XCTAssertEqual(
      recording.text(legend: false),
      """
      Spy
      add  numbers  double
      ●    │        │       #1 "Ann"
      │    ●────────○       #2 4

      """)
  }

  func test_C85a_anInletIsRecordedOnceHoweverOftenItIsFound() {
    let spy = Spy()
    let recording = Recording(of: spy)
    recording.add(spy)
    let other = Spy(sharing: spy)
    recording.add(other)
    spy.add.send("Ann")
    spy.double.send(2)
    XCTAssertEqual(recording.flow.events.map(\.text), ["\"Ann\"", "4"])
    let names = recording.flow.activeLanes.map { recording.flow.lanes[$0].name }
    XCTAssertEqual(names, ["add", "numbers", "double"])
    withExtendedLifetime(other) {}
  }

  func test_anActorCannotBeReadFromOutside() async throws {
    try await assertTraps(
      "object", saying: "Player was to be recorded from outside of it, where its variables"
    ) {
      let player: AnyObject = Player()
      _ = Recording(of: player)
    }
    try await assertTraps("limit", saying: "A recording cannot keep 0 events: it keeps at least 1")
    {
      _ = Recording(limit: 0)
    }
  }
}

private final class Machine: Sendable {
  private let starts = Input<Int>()
  private let results = Channel<Int>()
  var start: Inlet<Int> { starts.inlet }
  var received: Subscription<Int> { starts.received }

  func step() async {
    guard let number = await starts.received.next() else { return }
    results.send(number)
  }

  func end(sending last: Int) async {
    starts.finish()
    await step()
    results.send(last)
  }
}

private actor Player {
  private enum Command { case play, seek(Int) }
  private let commands = Input<Command>()
  nonisolated var play: Inlet<Void> { commands.inlet(.play) }
  nonisolated var seek: Inlet<Int> { commands.inlet(Command.seek) }
}

private final class Spy: Sendable {
  let add: Inlet<String>
  let numbers = Channel<Int>()
  let double: Inlet<Int>

  init(sharing other: Spy? = nil) {
    add = other?.add ?? Inlet { _ in }
    double = other?.double ?? numbers.inlet.contramap { $0 * 2 }
  }
}
