import AsyncChannelsTesting
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// C98: an element whose work was not begun when the call was cancelled is there for the next consumer.
@MainActor
final class AnswerGivesBackTests: XCTestCase {
  /// One element is sent, the call is cancelled some turns later, and the next one begins immediately. In test
  /// time there is one thread, so nothing lies between the decision that work begins and its first statement.
  func test_C98a_C98c_anInputIsBegunBeforeCancelReturnsOrByTheNextCall() async throws {
    try await withTestTime(orders: .random(25, seed: 98)) { _ in
      for overlap in Overlap.allCases {
        for isReported in [false, true] {
          for turns in 0..<8 {
            let begun = await Self.begin(overlap, isReported: isReported, turns)
            guard begun == ["early"] || begun == ["second"] else {
              throw Unexpected("\(begun): \(overlap), reported: \(isReported), turns: \(turns)")
            }
          }
        }
      }
    }
  }

  /// The same on several threads, where one may be stopped after that decision and before the statement.
  func test_C98a_anInputIsBegunOnceOnSeveralThreads() async throws {
    for overlap in Overlap.allCases {
      for isReported in [false, true] {
        for round in 0..<400 {
          let begun = await Self.begin(overlap, isReported: isReported, round % 5)
          XCTAssertEqual(begun.count, 1, "\(begun): \(overlap), reported: \(isReported)")
        }
      }
    }
  }

  /// When work began: in the first call, before and after `cancel()` had returned, and in the second.
  private static func begin(_ overlap: Overlap, isReported: Bool, _ turns: Int) async -> [String] {
    let input = Input<Int>()
    let isCancelled = Atomic(false)
    let begun = Record<String>()
    let busy = isReported ? CurrentValue(false).inlet : nil
    let first = Task {
      await input.received.answer(overlap, busy: busy) { _ in
        begun.add(isCancelled.load(ordering: .acquiring) ? "late" : "early")
      } publish: { _ in
      }
    }
    await giveWay(3)
    input.inlet.send(1)
    await giveWay(turns)
    first.cancel()
    isCancelled.store(true, ordering: .releasing)
    input.finish()
    await input.received.answer(overlap, busy: busy) { _ in
      begun.add("second")
    } publish: { _ in
    }
    await first.value
    return begun.events
  }

  func test_C98b_whatIsGivenBackComesFirstWhoeverConsumesNext() async throws {
    for (name, makeInput) in Self.sources {
      for way in Way.allCases {
        let inputs = Channel<Int>()
        let received = makeInput(inputs.outlet)
        for number in 1...4 { inputs.send(number) }
        let consumer = Consumer(received.makeAsyncIterator())
        _ = await consumer.waitForElement(isolation: MainActor.shared)
        let taken = (0..<2).compactMap { _ in
          if case .element(let turn) = consumer.take() { turn } else { nil }
        }
        XCTAssertEqual(taken.count, 2, name)
        consumer.place.giveBack(taken.map(\.returned))
        XCTAssertEqual(received.pendingCount, 4, name)
        inputs.send(5)
        inputs.finish()
        let got = await way.take(received)
        XCTAssertEqual(got, [1, 2, 3, 4, 5], "\(name), \(way)")
        XCTAssertEqual(received.pendingCount, 0, name)
      }
    }
  }

  func test_C98b_whatIsGivenBackComesFirstInACancelledTaskThatTakesAllTheSame() async throws {
    for (name, makeInput) in Self.sources {
      let inputs = Channel<Int>()
      let received = makeInput(inputs.outlet)
      let (consumer, turn) = try await Self.holding(1, of: received, inputs)
      inputs.send(2)
      consumer.place.giveBack([turn.returned])
      let first = try await Task {
        cancelThisTask()
        return received.takeNow().element
      }.result()
      XCTAssertEqual(first, 1, name)
      XCTAssertEqual(received.takeNow().element, 2, name)
    }
  }

  func test_C98b_aConsumerThatSleepsIsWokenByWhatIsGivenBack() async throws {
    for (name, makeInput) in Self.sources {
      let inputs = Channel<Int>()
      let received = makeInput(inputs.outlet)
      let (consumer, turn) = try await Self.holding(1, of: received, inputs)
      let next = Task { await received.next() }
      try await until("it sleeps") { inputs.log.sleeperCount == 1 }
      consumer.place.giveBack([turn.returned])
      let got = try await next.result()
      XCTAssertEqual(got, 1, name)
      let after = Task { await received.next() }
      inputs.send(2)
      let second = try await after.result()
      XCTAssertEqual(second, 2, name)
    }
  }

  /// A sender has taken the sleeper out of the queue, and rings it: a ring too many would bring it back to the
  /// queue while it is still linked elsewhere.
  func test_C98b_aConsumerThatIsBeingWokenIsNotRungAgain() async throws {
    for (name, makeInput) in Self.sources {
      let inputs = Channel<Int>()
      let received = makeInput(inputs.outlet)
      let (consumer, turn) = try await Self.holding(1, of: received, inputs)
      let record = Record<Int>()
      let loop = Task { for await number in received { record.add(number) } }
      try await until("it sleeps") { inputs.log.sleeperCount == 1 }
      // In one turn of the main actor, on which the loop is, so it does not wake between.
      inputs.send(2)
      consumer.place.giveBack([turn.returned])
      consumer.place.giveBack([Turn(10).returned])
      try await until("it sleeps again") { record.count == 3 && inputs.log.sleeperCount == 1 }
      await giveWay(20)
      inputs.send(3)
      try await until("it goes on") { record.count == 4 }
      XCTAssertEqual(record.events, [1, 10, 2, 3], name)
      try await loop.cancelAndWait()
    }
  }

  func test_C98b_aBatchHasWhatWasGivenBackAndAllThatIsReady() async throws {
    for (name, makeInput) in Self.sources {
      let inputs = Channel<Int>()
      let received = makeInput(inputs.outlet)
      let (consumer, turn) = try await Self.holding(1, of: received, inputs)
      inputs.send(2)
      inputs.send(3)
      consumer.place.giveBack([turn.returned])
      let batches = received.batches(ofAtMost: 9).makeAsyncIterator()
      assertEqual(await batches.next(isolation: MainActor.shared), [1, 2, 3], name)
    }
  }

  /// It reads on without the lock, whatever segment it has come to meanwhile.
  func test_C98b_afterWhatWasGivenBackThePlaceIsOpenAgain() async throws {
    let inputs = Channel<Int>()
    let received = inputs.outlet.map { $0 }.subscribe()
    let (consumer, turn) = try await Self.holding(0, of: received, inputs)
    consumer.place.giveBack([turn.returned])
    for number in 1..<200 { inputs.send(number) }
    let iterator = received.makeAsyncIterator()
    for number in 0..<200 {
      assertEqual(await iterator.next(isolation: MainActor.shared), number)
    }
    // It asks when there is nothing more.
    let last = Task { await iterator.next(isolation: MainActor.shared) }
    try await until("it sleeps") { inputs.log.sleeperCount == 1 }
    inputs.send(200)
    assertEqual(try await last.result(), 200)
    let cursor = try XCTUnwrap(consumer.place.waiter as? LogCursor)
    XCTAssertEqual(cursor.admitted, iterator.epoch)
  }

  /// One of the merged states has finished, so no sender can ring for it.
  func test_C98b_aConsumerOfMergedStateIsWokenThoughAPartHasFinished() async throws {
    let (one, two) = (CurrentValue(1), CurrentValue(10))
    one.finish()
    let received = StateOutlet.combine(one.projectedValue, two.projectedValue).map(+).subscribe()
    let consumer = Consumer(received.makeAsyncIterator())
    _ = await consumer.waitForElement(isolation: MainActor.shared)
    var taken: TurnBase?
    while taken == nil { if case .element(let turn) = consumer.take() { taken = turn } }
    let turn = try XCTUnwrap(taken)
    let next = Task { await received.next() }
    try await until("it sleeps") {
      two.projectedValue.outlet.logs.contains { $0.sleeperCount == 1 }
    }
    consumer.place.giveBack([turn.returned])
    let got = try await next.result()
    XCTAssertEqual(got, 11)
  }

  /// A loop that has taken the first of them takes the second, and nothing that came later.
  func test_C98b_whatIsGivenBackOfMergedStateComesFirstToo() async throws {
    let (one, two) = (CurrentValue(1), CurrentValue(10))
    let received = StateOutlet.combine(one.projectedValue, two.projectedValue).map(+).subscribe()
    let consumer = Consumer(received.makeAsyncIterator())
    var taken: [TurnBase] = []
    for number in 1...2 {
      one.value = number
      _ = await consumer.waitForElement(isolation: MainActor.shared)
      if case .element(let turn) = consumer.take() { taken.append(turn) }
    }
    XCTAssertEqual(taken.count, 2)
    for number in 3...4 { one.value = number }
    consumer.place.giveBack(taken.map(\.returned))
    one.finish()
    two.finish()
    let got = await Way.loop.take(received)
    XCTAssertEqual(got, [11, 12, 14])
  }

  /// No lock is held while a closure runs, not even one that `cancel()` takes.
  func test_C98d_aClosureThatCancelsTheCallGivesItsElementToTheNext() async throws {
    let inputs = Channel<Int>()
    let isFirst = Atomic(true)
    let received = inputs.outlet.map { number in
      if isFirst.exchange(false, ordering: .relaxed) { cancelThisTask() }
      return number
    }.subscribe()
    inputs.send(1)
    inputs.finish()
    let published = Record<Int>()
    await Task { await received.answer(by: { $0 }, publish: { published.add($0) }) }.value
    XCTAssertEqual(published.take(), [])
    await received.answer(by: { $0 }, publish: { published.add($0) })
    XCTAssertEqual(published.take(), [1])
  }

  /// A derived subscription runs a closure while the call is cancelled: that element comes after those that were
  /// given back at once.
  func test_C98b_C98d_whatIsGivenBackLaterByTheSameCallComesAfterIt() async throws {
    let inputs = Channel<Int>()
    let received = inputs.outlet.subscribe()
    let (consumer, first) = try await Self.holding(1, of: received, inputs)
    inputs.send(2)
    guard case .element(let second) = consumer.take() else { return XCTFail("2 is not there") }
    inputs.send(3)
    consumer.place.giveBack([first.returned])
    consumer.place.giveBack([second.returned])
    assertEqual(await Self.next(3, of: received), [1, 2, 3])
  }

  /// Of two calls the older one has taken first, whichever gives back first.
  func test_C98_whatTwoCallsGiveBackIsInTheOrderOfTheCalls() async throws {
    for givesOlderFirst in [false, true] {
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe()
      let (older, first) = try await Self.holding(1, of: received, inputs)
      let (newer, second) = try await Self.holding(2, of: received, inputs)
      inputs.send(3)
      if givesOlderFirst { older.place.giveBack([first.returned]) }
      newer.place.giveBack([second.returned])
      if !givesOlderFirst { older.place.giveBack([first.returned]) }
      let got = await Self.next(3, of: received)
      XCTAssertEqual(got, [1, 2, 3], "older first: \(givesOlderFirst)")
    }
  }

  /// What a consumer takes of what was given back, and gives back, too, comes before what it left.
  func test_C98b_whatIsGivenBackTwiceComesBeforeWhatWasLeft() async throws {
    let inputs = Channel<Int>()
    let received = inputs.outlet.subscribe()
    let (older, first) = try await Self.holding(1, of: received, inputs)
    inputs.send(2)
    guard case .element(let second) = older.take() else { return XCTFail("2 is not there") }
    older.place.giveBack([first, second].map(\.returned))
    let newer = Consumer(received.makeAsyncIterator())
    _ = await newer.waitForElement(isolation: MainActor.shared)
    guard case .element(let again) = newer.take() else { return XCTFail("1 is not there") }
    newer.place.giveBack([again.returned])
    assertEqual(await Self.next(2, of: received), [1, 2])
  }

  /// A consumer that takes without the lock comes to what was given back next, and when it is displaced it
  /// takes nothing more.
  func test_C32_C98b_whatWasGivenBackComesBeforeWhatAConsumerKnows() async throws {
    for displaces in [false, true] {
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe()
      let (consumer, turn) = try await Self.holding(1, of: received, inputs)
      for number in 2...9 { inputs.send(number) }
      let older = received.makeAsyncIterator()
      assertEqual(await older.next(isolation: MainActor.shared), 2)
      consumer.place.giveBack([turn.returned])
      if displaces {
        let newer = received.makeAsyncIterator()
        assertEqual(await newer.next(isolation: MainActor.shared), 1)
        assertEqual(await older.next(isolation: MainActor.shared), nil)
        assertEqual(await newer.next(isolation: MainActor.shared), 3)
      } else {
        assertEqual(await older.next(isolation: MainActor.shared), 1)
        assertEqual(await older.next(isolation: MainActor.shared), 3)
      }
    }
  }

  /// A consumer that has taken the element, and not begun.
  private static func holding(
    _ number: Int, of received: Subscription<Int>, _ inputs: Channel<Int>
  ) async throws -> (Consumer<Int>, TurnBase) {
    inputs.send(number)
    let consumer = Consumer(received.makeAsyncIterator())
    _ = await consumer.waitForElement(isolation: MainActor.shared)
    guard case .element(let turn) = consumer.take() else { throw Unexpected("nothing was there") }
    return (consumer, turn)
  }

  private static func next(_ count: Int, of received: Subscription<Int>) async -> [Int] {
    var got: [Int] = []
    for _ in 0..<count { if let number = await received.next() { got.append(number) } }
    return got
  }

  func test_C98b_whicheverHasBegunTheOthersAreGivenBackInOrder() {
    for begun in 0..<4 {
      var held = HeldTurns()
      let turns = (0..<4).map { Turn($0) }
      for turn in turns { held.append(turn) }
      held.remove(turns[begun])
      let rest = held.takeAll().compactMap { ($0 as? Turn<Int>)?.element }
      XCTAssertEqual(rest, (0..<4).filter { $0 != begun })
    }
  }

  func test_C98b_whatIsGivenBackAgainComesFirstAgain() {
    var returned = ReturnedElements()
    returned.insert([1, 2, 3], of: 1)
    for epoch in 1...3 as ClosedRange<UInt64> {
      let first = returned.popFirst(as: epoch) as? Int
      XCTAssertEqual(first, 1)
      returned.insert([1], of: epoch)
    }
    XCTAssertEqual((0..<3).map { _ in returned.popFirst(as: 4) as? Int }, [1, 2, 3])
    XCTAssertTrue(returned.isEmpty)
  }

  func test_C98b_whatWasSupersededIsNotGivenBack() async throws {
    try await withTestTime { _ in
      for isOfEach in [false, true] {
        let (inputs, gate) = (Channel<Int>(), Gate())
        let received = inputs.outlet.subscribe()
        for number in 1...3 { inputs.send(number) }
        let work: @Sendable (Int) async -> Void = { _ in await gate.pass() }
        let run = Task {
          if isOfEach {
            await received.answer(
              overlap: { _ in .latestOnly }, by: work, publish: { _, _ in })
          } else {
            await received.answer(.latestOnly, by: work, publish: { _ in })
          }
        }
        await giveWay(20)
        run.cancel()
        XCTAssertEqual(received.pendingCount, 0)
        gate.open()
        await run.value
      }
    }
  }

  func test_C98a_whatIsGivenBackIsReleasedWithTheSubscription() async throws {
    let census = Census()
    let inputs = Channel<Tracked>()
    var received = Optional(inputs.outlet.subscribe())
    inputs.send(Tracked(1, in: census))
    var consumer = received.map { Consumer($0.makeAsyncIterator()) }
    _ = await consumer?.waitForElement(isolation: MainActor.shared)
    if case .element(let turn) = consumer?.take() { consumer?.place.giveBack([turn.returned]) }
    XCTAssertEqual(census.count, 1)
    (consumer, received) = (nil, nil)
    XCTAssertEqual(census.count, 0)
  }

  private static let sources: [(String, (Outlet<Int>) -> Subscription<Int>)] = [
    ("plain", { $0.subscribe() }), ("bounded", { $0.subscribe(buffering: .bufferingNewest(9)) }),
    ("derived", { $0.map { $0 }.filter { $0 > 0 }.subscribe() }),
  ]

  private enum Way: CaseIterable {
    case loop, next, batches, answer

    func take(_ received: Subscription<Int>) async -> [Int] {
      var got: [Int] = []
      switch self {
      case .loop: for await number in received { got.append(number) }
      case .next: while let number = await received.next() { got.append(number) }
      case .batches: for await numbers in received.batches(ofAtMost: 2) { got += numbers }
      case .answer:
        let record = Record<Int>()
        await received.answer(by: { $0 }, publish: { record.add($0) })
        got = record.events
      }
      return got
    }
  }
}

private struct Unexpected: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
