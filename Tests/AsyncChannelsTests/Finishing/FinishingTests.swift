import AsyncChannels
import TestSupport
import XCTest

/// C20 to C24.
final class FinishingTests: XCTestCase {
  func test_C20_subscribersGetWhatWasSentBeforeThenNilForEver() async throws {
    for sent in [0] + countsAroundSegments {
      let channel = Channel<Int>(replaying: 5)
      let subscriptions =
        BufferingPolicy.roomy(for: sent).map { channel.outlet.subscribe(buffering: $0) }
        + [channel.outlet.map { $0 }.subscribe()]
      for number in 0..<sent { channel.send(number) }
      let replayed = channel.outlet.subscribe()
      channel.finish()
      for (index, subscription) in (subscriptions + [replayed]).enumerated() {
        let received = try await within {
          var received: [Int?] = []
          let iterator = subscription.makeAsyncIterator()
          while let number = await iterator.next() { received.append(number) }
          for _ in 0..<3 { received.append(await iterator.next()) }
          received.append(await subscription.makeAsyncIterator().next())
          return received
        }
        let expected = index < subscriptions.count ? 0..<sent : max(0, sent - 5)..<sent
        XCTAssertEqual(received, Array(expected) + [nil, nil, nil, nil])
      }
    }
  }

  func test_C20_whatAConsumerHasNotYetTakenIsDeliveredAfterTheEnd() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.subscribe()
    for number in 0..<70 { channel.send(number) }
    let first = try await subscription.take(10)
    for number in 70..<200 { channel.send(number) }
    channel.finish()
    channel.send(200)
    let rest = try await subscription.collect()
    XCTAssertEqual(first + rest, Array(0..<200))
  }

  func test_C21_everyWaitingSubscriberWakes() async throws {
    for count in [1, 2, 3, 10, 300] {
      let channel = Channel<Int>(replaying: 1)
      channel.send(0)
      let consumers = (0..<count).map { index in
        let policy: BufferingPolicy = index.isMultiple(of: 3) ? .bufferingNewest(1) : .unbounded
        let outlet = index.isMultiple(of: 5) ? channel.outlet.map { $0 } : channel.outlet
        return outlet.collecting(buffering: policy)
      }
      try await channel.untilAsleep(count)
      channel.finish()
      for consumer in consumers {
        assertEqual(try await consumer.value, [0])
      }
    }
  }

  func test_C21_thoseWhoFallAsleepWhileItFinishesWakeToo() async throws {
    for round in 0..<600 {
      let channel = Channel<Int>()
      let consumers = (0..<4).map { _ in channel.outlet.collecting() }
      channel.send(round)
      await giveWay(round % 6)
      channel.finish()
      for consumer in consumers {
        assertEqual(try await consumer.value, [round])
      }
    }
  }

  func test_C22_finishingTwiceIsFinishingOnce() async throws {
    let channel = Channel<Int>(replaying: 2)
    let subscription = channel.outlet.subscribe()
    channel.send(1)
    channel.finish()
    channel.finish()
    assertEqual(try await subscription.collect(), [1])
    channel.finish()
    XCTAssertEqual(channel.send(2), .finished(2))
    assertEqual(try await subscription.collect(), [])
    let state = CurrentValue(1)
    state.finish()
    state.finish()
    XCTAssertEqual(state.value, 1)
  }

  func test_C22_finishingFromManyTasksAtOnceEndsEverybodyOnce() async throws {
    for _ in 0..<100 {
      let channel = Channel<Int>()
      let consumers = (0..<4).map { _ in channel.outlet.collecting() }
      channel.send(0)
      _ = try await concurrently(3) { _ in channel.finish() }
      for consumer in consumers {
        assertEqual(try await consumer.value, [0])
      }
    }
  }

  func test_C22_theEndTakesNoSlotInABuffer() async throws {
    for policy in [BufferingPolicy.bufferingNewest(2), .bufferingOldest(2)] {
      let channel = Channel<Int>(buffering: policy)
      let subscription = channel.outlet.subscribe()
      channel.send(1)
      channel.send(2)
      channel.finish()
      channel.finish()
      XCTAssertEqual(subscription.droppedCount, 0)
      assertEqual(try await subscription.collect(), [1, 2])
      XCTAssertEqual(subscription.droppedCount, 0)
    }
  }

  func test_C23_sendingAfterTheEndHandsTheElementBackAndChangesNothing() async throws {
    let census = Census()
    let channel = Channel<Tracked>(replaying: 2)
    let unread = BufferingPolicy.roomy(for: 1).map { channel.outlet.subscribe(buffering: $0) }
    channel.send(Tracked(1, in: census))
    channel.finish()
    let ways: [(Tracked) -> SendResult<Tracked>] = [
      { channel.send($0) }, { channel.inlet.send($0) }, { channel.send($0, replayed: false) },
      { channel.inlet.contramap { $0 }.send($0) },
    ]
    for way in ways {
      let refused = Tracked(2, in: census)
      guard case .finished(let element) = way(refused) else { return XCTFail("It was sent") }
      XCTAssertIdentical(element, refused)
    }
    XCTAssertEqual(census.count, 1)
    XCTAssertEqual(unread.map(\.droppedCount), [0, 0, 0])
    for subscription in unread {
      assertEqual(try await subscription.collect().map(\.number), [1])
    }
    XCTAssertEqual(census.count, 0)
  }

  func test_C23_sendingNothingAfterTheEndIsRefusedToo() {
    let channel = Channel<Void>()
    channel.finish()
    for result in [channel.send(), channel.inlet.send()] {
      guard case .finished = result else { return XCTFail("It was sent") }
    }
  }

  func test_C23_whatRacesWithTheEndIsEitherDeliveredToAllOrHandedBack() async throws {
    for round in 0..<300 {
      let channel = Channel<Stamp>(replaying: 3)
      let consumers = BufferingPolicy.roomy(for: 400).map {
        channel.outlet.collecting(buffering: $0)
      }
      let sent = try await concurrently(3) { sender -> [Stamp] in
        if sender == 2 {
          await giveWay(round % 8)
          channel.finish()
          return []
        }
        var sent: [Stamp] = []
        for number in 0..<100 {
          let stamp = Stamp(sender: sender, number: number)
          switch channel.inlet.send(stamp) {
          case .sent: sent.append(stamp)
          case .finished(let element): XCTAssertEqual(element, stamp)
          case .refused: XCTFail("There is no gate.")
          }
          if number % 10 == round % 10 { await Task.yield() }
        }
        return sent
      }
      for consumer in consumers {
        let received = try await consumer.value
        XCTAssertEqual(received.numbers(of: 0), sent[0].map(\.number))
        XCTAssertEqual(received.numbers(of: 1), sent[1].map(\.number))
      }
    }
  }
}
