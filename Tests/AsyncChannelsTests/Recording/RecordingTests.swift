import AsyncChannelsTesting
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRecording
@testable import AsyncChannelsRunning

/// C85, C86: what a recording sees, and that it changes nothing.
final class RecordingTests: XCTestCase {
  func test_C85a_C85c_whatIsSentTakenAndDroppedIsRecordedByTheNamesOfProperties() async {
    let shop = Shop()
    let recording = Recording(of: shop)
    let orders = shop.orders.outlet.subscribe(buffering: .bufferingNewest(1))
    shop.orders.send("tea")
    shop.orders.send("rice")
    _ = await orders.next()
    shop.stock.value = 2
    shop.orders.finish()
    XCTAssertEqual(
      recording.text(legend: false),
      """
      Shop
      orders  stock
      ●       │      #1 "tea"
      ●       │      #2 "rice"
      ✕       │      #1 dropped
      ◆       │      #2 taken
      │       ●      #3 2
      ■       │      finished

      """)
    XCTAssertEqual(
      recording.text(ascii: true, legend: false),
      """
      Shop
      orders  stock
      *       |      #1 "tea"
      *       |      #2 "rice"
      x       |      #1 dropped
      v       |      #2 taken
      |       *      #3 2
      =       |      finished

      """)
    XCTAssertEqual(
      recording.marbles(legend: false),
      """
      orders  ─#1─#2─✕#1────■─
      stock   ───────────#3───

      """)
  }

  func test_C85c_asASCIIItIsAlignedAndNothingElseIsInIt() async {
    let (size, other) = (Channel<String>(), Channel<String>())
    let recording = Recording()
    recording.add(size, as: "größe")
    recording.add(other, as: "other")
    let sizes = size.outlet.makeAsyncIterator()
    size.send("é")
    _ = await sizes.next()
    other.send("ü")
    XCTAssertEqual(
      recording.text(ascii: true, legend: false),
      """
      gr\\u{00F6}\\u{00DF}e  other
      *                    |      #1 "\\u{00E9}"
      v                    |      #1 taken
      +--------------------*      "\\u{00FC}" <- #1

      """)
    XCTAssertEqual(
      recording.marbles(ascii: true, legend: false),
      """
      gr\\u{00F6}\\u{00DF}e  -#1------------
      other                ----"\\u{00FC}"-

      """)
  }

  func test_C87b_inASCIIEveryNameFitsToo() {
    final class Größenverwaltung {
      let größenDieSichÄndernKönnenUndVieleSind = Channel<String>()
      let süß = Channel<String>()
      let höhe = Channel<String>()
    }
    final class ÜberhauptNichtsMitEinemNamenDerÜberAllesHinausgehtWasZurNotNochGeht {}
    let (owner, empty) = (
      Größenverwaltung(),
      ÜberhauptNichtsMitEinemNamenDerÜberAllesHinausgehtWasZurNotNochGeht()
    )
    let recording = Recording(of: empty)
    let texts = {
      [recording.text(ascii: true, legend: false), recording.marbles(ascii: true, legend: false)]
    }
    let before = texts()
    recording.add(owner)
    let more = (0..<30).map { _ in Channel<Int>() }
    for (number, channel) in more.enumerated() {
      recording.add(channel, as: "größe\(number)")
      channel.send(number)
    }
    owner.größenDieSichÄndernKönnenUndVieleSind.send("ä")
    owner.süß.send("ö")
    owner.höhe.send("ü")
    for text in before + texts() {
      XCTAssertTrue(text.allSatisfy(\.isASCII), text)
      let widest = text.split(separator: "\n").max { $0.count < $1.count }
      XCTAssertLessThanOrEqual(widest?.count ?? 0, 100, text)
    }
  }

  func test_C85a_anOptionalOrLazyPropertyIsRecordedIfThereIsSomething() {
    final class Owner {
      let there: Channel<Int>? = Channel()
      let missing: Channel<Int>? = nil
      lazy var late = Channel<Int>()
      lazy var never = Channel<Int>()
    }
    let owner = Owner()
    owner.late.send(0)
    let recording = Recording(of: owner)
    owner.there?.send(1)
    owner.late.send(2)
    owner.never.send(3)
    XCTAssertEqual(
      recording.text(legend: false),
      """
      Owner
      there  late
      ●      │     #1 1
      │      ●     #2 2

      """)
  }

  func test_C85d_subscriptionsThatExistedBeforeAreSeen() async {
    let channel = Channel<Int>()
    let early = channel.outlet.subscribe()
    let bounded = channel.outlet.subscribe(buffering: .bufferingNewest(1))
    channel.send(1)
    let recording = Recording()
    recording.add(channel, as: "numbers")
    channel.send(2)
    for _ in 0..<2 { _ = await early.next() }
    _ = await bounded.next()
    XCTAssertEqual(
      recording.text(legend: false),
      """
      numbers
      ●        #1 2
      ✕        an earlier element dropped by subscription 1
      ◆        #1 taken by subscription 2
      ◆        #1 taken by subscription 1

      """)
  }

  func test_C85g_whatABoundSubscriberMissesIsNamed() async {
    for policy in [BufferingPolicy.bufferingNewest(2), .bufferingOldest(2)] {
      let channel = Channel<Int>(replaying: 1)
      let recording = Recording()
      recording.add(channel, as: "numbers")
      channel.send(0)
      let subscription = channel.outlet.subscribe(buffering: policy)
      for number in 1...3 { channel.send(number) }
      for _ in 0..<2 { _ = await subscription.next() }
      let dropped = recording.flow.events.filter { $0.kind == .dropped }
      let taken = recording.flow.events.filter { $0.kind == .taken }
      let texts = recording.flow.sentByID.mapValues(\.text)
      func text(_ event: Flow.Event) -> String? { event.element.flatMap { texts[$0] } }
      let isNewest = policy == .bufferingNewest(2)
      XCTAssertEqual(dropped.map(text), isNewest ? ["0", "1"] : ["2", "3"])
      XCTAssertEqual(taken.map(text), isNewest ? ["2", "3"] : ["0", "1"])
      XCTAssertEqual(subscription.droppedCount, dropped.count)
    }
  }

  func test_C85b_comingsAndGoingsAreRecorded() async throws {
    let channel = Channel<Int>()
    let recording = Recording()
    recording.add(channel, as: "numbers")
    let subscription = channel.outlet.subscribe()
    let cancelled = Task { await subscription.next() }
    try await until("it is seen") { recording.flow.events.contains { $0.kind == .subscribed } }
    cancelled.cancel()
    _ = await cancelled.value
    let older = Task { await subscription.next() }
    try await until("it is seen") { channel.log.sleeperCount == 1 }
    let newer = Task { await subscription.next() }
    _ = await older.value
    newer.cancel()
    _ = await newer.value
    withExtendedLifetime(subscription) {}
    let brief = channel.outlet.makeAsyncIterator()
    withExtendedLifetime(brief) {}
    let token = channel.outlet.observe { @MainActor _ in }
    try await until("it listens") { channel.log.sleeperCount == 1 }
    token.cancel()
    try await until("each of the three that were cancelled is recorded") {
      recording.flow.events.count { $0.kind == .cancelled } == 3
    }
    XCTAssertEqual(recording.flow.events.count { $0.kind == .displaced }, 1)
    XCTAssertTrue(recording.text(times: true).contains("subscription 1 displaced by a newer"))
  }

  func test_C85b_aLoopThatIsCancelledWhileItWorksIsRecordedToo() async {
    let channel = Channel<Int>()
    let recording = Recording()
    recording.add(channel, as: "numbers")
    let subscription = channel.outlet.subscribe()
    channel.send(1)
    await Task { for await _ in subscription { cancelThisTask() } }.value
    XCTAssertEqual(recording.flow.events.map(\.kind), [.subscribed, .sent, .taken, .cancelled])
    withExtendedLifetime(subscription) {}
  }

  func test_C85h_ofTooManyEventsTheNewestAreKeptAndTheOthersCounted() async {
    let channel = Channel<Int>()
    let recording = Recording(limit: 3)
    recording.add(channel, as: "numbers")
    let subscription = channel.outlet.subscribe()
    for number in 1...4 { channel.send(number) }
    _ = await subscription.next()
    XCTAssertEqual(
      recording.text(legend: false),
      """
      numbers
      … 2 earlier events were left out
      ●        #1 2
      ●        #2 3
      ●        #3 4

      """)
    XCTAssertEqual(
      recording.marbles(legend: false), "… 2 earlier events were left out\nnumbers  ─#1─#2─#3─\n")
    XCTAssertTrue(recording.marbles(ascii: true, legend: false).hasPrefix("... 2 earlier"))
    // The first is known no more, and there is nothing to tell of its taking.
    _ = await subscription.next()
    XCTAssertEqual(recording.flow.leftOut, 3)
    XCTAssertTrue(recording.text(legend: false).hasSuffix("an earlier element taken\n"))
  }

  /// It has no place among those that the subscriber takes, so that it is forgotten takes none from them.
  func test_C85a_C85h_whatNobodyWasSubscribedForIsForgottenAlone() async {
    let (numbers, others) = (Channel<Int>(), Channel<Int>())
    withExtendedLifetime(numbers.outlet.subscribe()) {}
    let recording = Recording(limit: 3)
    recording.add(numbers, as: "numbers")
    recording.add(others, as: "others")
    numbers.send(1)
    let subscription = numbers.outlet.subscribe()
    numbers.send(2)
    others.send(3)
    _ = await subscription.next()
    XCTAssertEqual(recording.flow.leftOut, 2)
    XCTAssertEqual(recording.flow.events.map(\.kind), [.sent, .sent, .taken])
  }

  func test_C85a_theTimesAreTheClocks() async {
    let clock = TestClock()
    let channel = Channel<Int>()
    let recording = Recording(clock: clock)
    recording.add(channel, as: "numbers")
    let subscription = channel.outlet.subscribe(buffering: .bufferingNewest(1))
    clock.advance(by: .milliseconds(15))
    channel.send(1)
    clock.advance(by: .microseconds(1250))
    _ = await subscription.next()
    XCTAssertEqual(
      recording.text(times: true, legend: false).split(separator: "\n").map(String.init),
      [
        "   ms  numbers",
        "  0.0  ┬        subscription 1 subscribed",
        " 15.0  ●        #1 1",
        " 16.3  ◆        #1 taken after 1.3 ms",
      ])
  }

  func test_C86b_C86c_aDroppedRecordingIsDetachedAndKeepsNothing() async {
    let shop = Shop()
    let census = Census()
    let boxes = Channel<Tracked>()
    var recording: Recording? = Recording(of: shop)
    recording?.add(boxes, as: "boxes")
    let subscription = boxes.outlet.subscribe()
    boxes.send(Tracked(1, in: census))
    _ = await subscription.next()
    XCTAssertEqual(census.count, 0, "the recording keeps no element")
    XCTAssertTrue(shop.orders.log.isObserved.load(ordering: .relaxed))
    weak let store = recording?.store
    recording = nil
    XCTAssertFalse(shop.orders.log.isObserved.load(ordering: .relaxed))
    XCTAssertTrue(shop.orders.log.observers.isEmpty)
    XCTAssertNil(store)
  }

  func test_C86c_aRecordingThatIsDroppedDuringWorkIsGoneWhenTheWorkIs() async {
    for hasOther in [false, true] {
      let other = hasOther ? Recording() : nil
      for overlap in Overlap.allCases {
        let channel = Channel<Int>()
        let (isWorking, mayEnd) = (Gate(), Gate())
        var recording: Recording? = Recording()
        recording?.add(channel, as: "numbers")
        other?.add(channel, as: "numbers")
        let elements = channel.outlet.subscribe()
        channel.send(1)
        channel.finish()
        async let answering: Void = elements.answer(OverlapRule(overlap)) { number in
          isWorking.open()
          await mayEnd.pass()
          return number
        } publish: { _, _ in
        }
        await isWorking.pass()
        weak let store = recording?.store
        recording = nil
        mayEnd.open()
        await answering
        XCTAssertNil(store, "\(overlap)")
      }
    }
  }

  func test_C86b_aRecordingKeepsNoChannelAlive() {
    let recording = Recording()
    weak var gone: Shop?
    weak var log: BroadcastLogBase?
    do {
      let shop = Shop()
      recording.add(shop)
      (gone, log) = (shop, shop.stock.log)
    }
    XCTAssertNil(gone)
    XCTAssertNil(log)
    XCTAssertEqual(recording.flow.events.map(\.kind), [.finished, .finished])
  }

  func test_C86a_sendersTakersAndRecordersMayAllRace() async throws {
    let channel = Channel<Int>()
    let count = 2_000
    let subscription = channel.outlet.subscribe()
    let bounded = channel.outlet.subscribe(buffering: .bufferingNewest(3))
    await withTaskGroup { group in
      for _ in 0..<3 {
        group.addTask { for number in 0..<count { channel.send(number) } }
      }
      group.addTask { for _ in 0..<(3 * count) { _ = await subscription.next() } }
      group.addTask { for await _ in bounded {} }
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<50 {
            let recording = Recording(limit: 100)
            recording.add(channel, as: "numbers")
            await Task.yield()
            for event in recording.flow.events where event.kind == .taken {
              // What is taken was sent: its number is that of an earlier event.
              XCTAssertLessThan(event.element ?? .max, event.id)
            }
            XCTAssertFalse(recording.text(times: true).isEmpty)
          }
        }
      }
      for _ in 0..<6 { _ = await group.next() }
      channel.finish()
    }
  }

  func test_C89_onlyARecordedSubscriberTakesEachElementOnItsOwn() async throws {
    for isRecorded in [false, true] {
      let channel = Channel<Int>()
      let recording = isRecorded ? Recording() : nil
      recording?.add(channel, as: "numbers")
      let cursor = channel.log.subscribe(buffering: nil)
      let epoch = cursor.makeEpoch()
      XCTAssertEqual(cursor.poll(as: epoch), .nothing)
      for number in 0..<3 { channel.send(number) }
      XCTAssertEqual(cursor.take(.more, as: epoch), 0)
      XCTAssertEqual(cursor.position.known - cursor.position.number, isRecorded ? 0 : 2)
      XCTAssertEqual(channel.log.isObserved.load(ordering: .relaxed), isRecorded)
      XCTAssertEqual(
        recording?.flow.events.filter { $0.kind == .taken }.count, isRecorded ? 1 : nil)
    }
  }

  func test_C85d_aRecordingThatBeginsDuringASendKnowsWhatIsInTheQueues() async throws {
    let channel = Channel<Int>(buffering: .bufferingNewest(3))
    let late = Recording()
    let early = Recording(describing: { _ in
      late.add(channel, as: "numbers")
      return nil
    })
    early.add(channel, as: "numbers")
    let subscription = channel.outlet.subscribe()
    for number in 1...2 { channel.send(number) }
    for _ in 1...2 { _ = await subscription.next() }
    // The first began before, and is not known in words.
    XCTAssertEqual(try takes(of: late), ["…", "2"])
    XCTAssertEqual(try takes(of: early), ["1", "2"])
  }

  func test_C85d_aRecordingThatBeginsDuringAnUpdateKnowsWhatIsInTheQueues() async throws {
    let state = CurrentValue(0)
    let subscription = state.outlet.subscribe(buffering: .bufferingNewest(3))
    let recording = Recording()
    state.update {
      recording.add(state, as: "state")
      $0 = 1
    }
    state.update { $0 = 2 }
    for _ in 0...2 { _ = await subscription.next() }
    XCTAssertEqual(try takes(of: recording), ["…", "2"])
  }

  func test_C85a_C88a_countsOfSubscribersAreRecordedTooUnlessTheyAreSecret() async throws {
    for (name, expected) in [("listeners", ["1", "2"]), ("password", ["…", "…"])] {
      let channel = Channel<Int>()
      let recording = Recording()
      recording.add(channel.subscriberCounts, as: name)
      let counts = channel.subscriberCounts.subscribe(buffering: .bufferingNewest(3))
      let subscriptions = (1...2).map { _ in channel.outlet.subscribe() }
      for _ in 0...2 { _ = await counts.next() }
      withExtendedLifetime(subscriptions) {}
      XCTAssertEqual(try takes(of: recording), expected)
    }
  }

  /// What was taken, in words.
  private func takes(of recording: Recording) throws -> [String] {
    let flow = recording.flow
    return try flow.events.filter { $0.kind == .taken }.map { event in
      try XCTUnwrap(flow.sentByID[XCTUnwrap(event.element)]).text
    }
  }

  func test_C85g_whatABoundedSubscriberHasNoRoomForWhenItComesIsDropped() {
    for (policy, expected) in [
      (BufferingPolicy.bufferingNewest(1), ["1", "2"]), (.bufferingOldest(1), ["2", "3"]),
      (.bufferingOldest(3), []), (.unbounded, []),
    ] {
      let channel = Channel<Int>(replaying: 3)
      let recording = Recording()
      recording.add(channel, as: "numbers")
      for number in 1...3 { channel.send(number) }
      let subscription = channel.outlet.subscribe(buffering: policy)
      let flow = recording.flow
      let dropped = flow.events.filter { $0.kind == .dropped }
      XCTAssertEqual(dropped.map { $0.element.flatMap { flow.sentByID[$0]?.text } }, expected)
      XCTAssertEqual(dropped.map(\.subscription), expected.map { _ in 1 })
      XCTAssertEqual(subscription.droppedCount, expected.count)
    }
  }

  func test_describingMayUseTheChannelItself() async {
    let state = CurrentValue(0)
    let recording = Recording(describing: { _ in "\(state.value) of \(state.outlet.value)" })
    recording.add(state, as: "state")
    state.value = 1
    state.update { $0 += 1 }
    XCTAssertEqual(recording.flow.events.map(\.text), ["0 of 0", "2 of 2"])
  }

  func test_C85a_aFailingProbeShowsTheFlow() async {
    let channel = Channel<Int>()
    let recording = Recording()
    recording.add(channel, as: "numbers")
    let probe = Probe(channel.outlet)
    channel.send(1)
    let line = #line + 2
    do {
      try await probe.expect(2)
      XCTFail("it passed")
    } catch {
      let lines = error.description.split(separator: "\n")
      XCTAssertTrue(lines[0].contains("\(line): channel.outlet: Expected 2, but 1 came"))
      XCTAssertTrue(lines.contains { $0.hasSuffix("●        #1 1") }, error.description)
      XCTAssertTrue(lines.contains { $0.contains("#1 taken after") }, error.description)
    }
    withExtendedLifetime(recording) {}
  }
}

private final class Shop: Sendable {
  let orders = Channel<String>()
  let stock = CurrentValue(0)
}
