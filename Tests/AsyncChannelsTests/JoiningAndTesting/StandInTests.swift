import AsyncChannels
import TestSupport
import XCTest

/// C49: what stands in for the ends of a channel behaves as they do. Numbers in comments are those of
/// the sentences that are checked.
final class StandInTests: XCTestCase {
  func test_C49_aContramappedInletSendsWhatTheTransformMakes() async throws {
    let channel = Channel<String>(replaying: 1)
    let calls = Record<Int>()
    let inlet: Inlet<Int> = channel.inlet.contramap { number in
      calls.add(number)
      return "\(number)"
    }
    // C12: also with no subscriber; C41: once, however many there are.
    XCTAssertEqual(inlet.send(0), .sent(subscribers: 0))
    let subscriptions = (0..<3).map { _ in channel.outlet.subscribe() }
    XCTAssertEqual(inlet.send(1), .sent(subscribers: 3))
    XCTAssertEqual(calls.events, [0, 1])
    for subscription in subscriptions {
      assertEqual(try await subscription.take(2), ["0", "1"])
    }
  }

  func test_C49_contramappedInletsShareTheOrderOfTheirChannel() async throws {
    let channel = Channel<Int>()
    let subscriptions = (channel.outlet.subscribe(), channel.outlet.subscribe())
    let inlets: [Inlet<Int>] = [
      channel.inlet, channel.inlet.contramap { $0 + 10_000 },
      channel.inlet.contramap { $0 + 10_000 }.contramap { $0 + 10_000 },
    ]
    await withTaskGroup { group in
      for inlet in inlets {
        group.addTask { for number in 0..<1_000 { inlet.send(number) } }
      }
    }
    channel.finish()
    let received = try await (subscriptions.0.collect(), subscriptions.1.collect())
    // C3
    XCTAssertEqual(received.0, received.1)
    for sender in 0..<3 {
      let sent = received.0.filter { $0 / 10_000 == sender }.map { $0 % 10_000 }
      XCTAssertEqual(sent, Array(0..<1_000))
    }
  }

  func test_C49_aContramappedInletGivesBackWhatWasRefusedAsItWasSent() async throws {
    var channel = Optional(Channel<String>())
    let finished = Channel<String>()
    let inlets: [Inlet<Int>?] = [
      channel?.inlet.contramap { "\($0)" }, finished.inlet.contramap { "\($0)" },
    ]
    finished.finish()
    // C25: an inlet does not keep its channel alive; C26 and C23.
    weak let sameChannel = channel
    channel = nil
    XCTAssertNil(sameChannel)
    for inlet in inlets { XCTAssertEqual(inlet?.send(7), .finished(7)) }
  }

  func test_C49_anInletOfAFunctionCallsItWithEachElementAndNeverFinishes() async throws {
    let received = Record<Int>()
    let inlet = Inlet { received.add($0) }
    XCTAssertEqual(inlet.send(1), .sent(subscribers: 1))
    XCTAssertEqual(inlet.contramap { $0 * 2 }.send(1), .sent(subscribers: 1))
    XCTAssertEqual(received.events, [1, 2])
    await withTaskGroup { group in
      for sender in 1...3 {
        group.addTask { for number in 0..<500 { inlet.send(sender * 1_000 + number) } }
      }
    }
    for sender in 1...3 {
      let sent = received.events.filter { $0 / 1_000 == sender }.map { $0 % 1_000 }
      XCTAssertEqual(sent, Array(0..<500))
    }
  }

  func test_C49_anInletThatForwardsReturnsWhatItsFunctionReturns() async throws {
    var channel: Channel<String>? = Channel()
    let lines = try XCTUnwrap(channel?.outlet.subscribe())
    let inlet = Inlet<Int>.forwarding { [inlet = try XCTUnwrap(channel?.inlet)] number in
      guard case .sent(let subscribers) = inlet.send("\(number)") else { return .finished(number) }
      return .sent(subscribers: subscribers)
    }
    XCTAssertEqual(inlet.send(1), .sent(subscribers: 1))
    XCTAssertEqual(inlet.contramap { $0 * 2 }.send(1), .sent(subscribers: 1))
    // C25, C23
    channel = nil
    XCTAssertEqual(inlet.send(3), .finished(3))
    XCTAssertEqual(inlet.contramap { $0 * 2 }.send(3), .finished(3))
    assertEqual(try await lines.collect(), ["1", "2"])
    // C46: whoever binds to it stops when it is at its end.
    await Outlet.just(4, 5).bind(to: inlet)
  }

  func test_C49_inletsOfOneTargetAreEqualAndOthersAreNot() {
    let (channel, state) = (Channel<Int>(), CurrentValue(0))
    let function = Inlet<Int> { _ in }
    let forwarding = Inlet<Int>.forwarding { _ in .sent(subscribers: 0) }
    let transformed = channel.inlet.contramap { (number: Int) in -number }
    let inlets = [channel.inlet, state.inlet, function, forwarding, transformed]
    XCTAssertEqual(Set(inlets + inlets).count, inlets.count)
    XCTAssertEqual([channel.inlet, state.inlet, function, forwarding, transformed], inlets)
    XCTAssertNotEqual(channel.inlet, Channel<Int>().inlet)
    XCTAssertNotEqual(state.inlet, CurrentValue(0).inlet)
    XCTAssertNotEqual(function, Inlet { _ in })
    XCTAssertNotEqual(transformed, channel.inlet.contramap { (number: Int) in -number })
    XCTAssertNotEqual(state.inlet { $0 += $1 }, state.inlet { $0 += $1 })
  }

  func test_C49_anInletOfVoidCanBeAFunctionToo() async throws {
    let taps = Record<Void>()
    let inlet = Inlet<Void> { taps.add(()) }
    XCTAssertEqual(inlet.send().subscribers, 1)
    XCTAssertEqual(taps.count, 1)
  }

  func test_C49_anInletOfAFunctionMaySendToItself() async throws {
    let received = Record<Int>()
    let channel = Channel<Int>()
    let inlet = Inlet<Int> { number in
      received.add(number)
      channel.send(number + 1)
    }
    let subscription = channel.outlet.subscribe()
    let token = channel.outlet.observe { if $0 < 5 { inlet.send($0) } }
    inlet.send(0)
    assertEqual(try await subscription.take(5), [1, 2, 3, 4, 5])
    XCTAssertEqual(received.events, [0, 1, 2, 3, 4])
    withExtendedLifetime(token) {}
  }

  func test_C49_justGivesEachSubscriberItsElementsAndEnds() async throws {
    let outlet = Outlet.just(1, 2, 3)
    let early = outlet.subscribe()
    let iterators = (outlet.makeAsyncIterator(), outlet.makeAsyncIterator())
    // C5: independent of each other; C20: sticky.
    for expected in [1, 2, 3, nil, nil] {
      assertEqual(await iterators.0.next(), expected)
    }
    assertEqual(await iterators.1.next(), 1)
    let received = try await (early.collect(), outlet.collect())
    XCTAssertEqual(received.0, [1, 2, 3])
    XCTAssertEqual(received.1, [1, 2, 3])
    // C24, on an outlet that has ended before it began.
    assertEqual(try await Outlet<Int>.just().collect(), [])
  }

  func test_C49_justGivesManyElementsAndNilsAndVoids() async throws {
    // C7
    assertEqual(try await Outlet<Int?>.just(nil, 1, nil).collect(), [nil, 1, nil])
    assertEqual(try await Outlet<Void>.just((), ()).collect().count, 2)
  }

  func test_C49_aBoundedSubscriberFindsOfJustWhatItsPolicyLeaves() async throws {
    let outlet = Outlet.just(1, 2, 3, 4, 5)
    // C14, C15
    let newest = outlet.subscribe(buffering: .bufferingNewest(2))
    let oldest = outlet.subscribe(buffering: .bufferingOldest(1))
    XCTAssertEqual([newest.droppedCount, oldest.droppedCount], [3, 4])
    let received = try await (newest.collect(), oldest.collect())
    XCTAssertEqual(received.0, [4, 5])
    XCTAssertEqual(received.1, [1])
  }

  func test_C49_aCancelledTaskGetsNothingOfJustAndTheNextContinues() async throws {
    let subscription = Outlet.just(1, 2, 3).subscribe()
    let cancelled = Gate()
    let consumer = Task {
      await cancelled.pass()
      return await subscription.first { _ in true }
    }
    consumer.cancel()
    cancelled.open()
    // C28, C31
    let nothing = try await within { await consumer.value }
    XCTAssertNil(nothing)
    assertEqual(try await subscription.collect(), [1, 2, 3])
  }

  func test_C49_whatIsTakenOfJustIsReleased() async throws {
    let census = Census()
    var outlet = Optional(Outlet.just(Tracked(1, in: census), Tracked(2, in: census)))
    let iterator = outlet?.makeAsyncIterator()
    outlet = nil
    // C34
    _ = await iterator?.next()
    XCTAssertEqual(census.count, 1)
    _ = await iterator?.next()
    XCTAssertEqual(census.count, 0)
  }

  func test_C49_aDerivedOutletOfJustIsAnOutletToo() async throws {
    let outlet = Outlet.just(1, 2, 3).filter { $0 != 2 }
    let received = try await (outlet.collect(), outlet.collect())
    XCTAssertEqual(received.0, [1, 3])
    XCTAssertEqual(received.1, [1, 3])
  }
}

extension SendResult {
  fileprivate var subscribers: Int? {
    if case .sent(let subscribers) = self { subscribers } else { nil }
  }
}
