import AsyncChannels
import TestSupport
import XCTest

final class OrderAndLossTests: XCTestCase {
  func test_C1_aSubscriberSeesTheElementsInTheOrderTheyWereSent() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.subscribe()
    for number in 0..<10_000 { channel.send(number) }
    channel.finish()
    assertEqual(try await subscription.collect(), Array(0..<10_000))
  }

  func test_C1_orderHoldsOnBothSidesOfEverySegmentBoundary() async throws {
    for count in countsAroundSegments {
      for policy in BufferingPolicy.roomy(for: count) {
        let channel = Channel<Int>(buffering: policy)
        let alone = channel.outlet.subscribe()
        for number in 0..<count { channel.send(number) }
        let early = try await alone.take(count / 2)
        // From here on the slots have two readers.
        let second = channel.outlet.subscribe()
        for number in count..<2 * count { channel.send(number) }
        channel.finish()
        let late = try await alone.collect()
        let secondReceived = try await second.collect()
        // What was taken early made room, so nothing was dropped but in the bounded ones.
        XCTAssertEqual(early, Array(0..<count / 2), "\(policy)")
        XCTAssertEqual(secondReceived, Array(count..<2 * count), "\(policy)")
        XCTAssertEqual(late, late.sorted(), "\(policy)")
        XCTAssertEqual(early.count + late.count + alone.droppedCount, 2 * count, "\(policy)")
      }
    }
  }

  func test_C1_orderHoldsWhileConsumersFallAsleepAndWakeInBetween() async throws {
    let channel = Channel<Int>()
    // More than are rung directly, so both ways of ringing are taken.
    let consumers = (0..<5).map { _ in channel.outlet.collecting() }
    for number in 0..<3000 {
      channel.send(number)
      await giveWay(number % 4)
      // Now and then everybody sleeps.
      if number % 500 == 0 { try await channel.untilAsleep(5) }
    }
    channel.finish()
    for consumer in consumers {
      assertEqual(try await consumer.value, Array(0..<3000))
    }
  }

  func test_C2_subscribersThatBeganAtDifferentTimesSeeOneSequence() async throws {
    let channel = Channel<Int>()
    var consumers: [(began: Int, Task<[Int], any Error>)] = []
    for number in 0..<400 {
      if number.isMultiple(of: 13) {
        for policy in BufferingPolicy.roomy(for: 400) {
          consumers.append((number, channel.outlet.collecting(buffering: policy)))
        }
        consumers.append((number, channel.outlet.map { $0 }.collecting()))
      }
      channel.send(number)
    }
    channel.finish()
    for (began, consumer) in consumers {
      assertEqual(try await consumer.value, Array(began..<400))
    }
  }

  func test_C3_theInterleavingOfConcurrentSendersIsTheSameForEverySubscriber() async throws {
    let (senders, each) = (4, 1000)
    let channel = Channel<Stamp>()
    let consumers =
      BufferingPolicy.roomy(for: senders * each).map { channel.outlet.collecting(buffering: $0) }
      + (0..<3).map { _ in channel.outlet.collecting() }
      + [channel.outlet.filter { _ in true }.collecting()]
    let inlets = [
      channel.inlet, channel.inlet.contramap { $0 }, Inlet { channel.send($0) }, channel.inlet,
    ]
    _ = try await concurrently(senders) { inlets[$0].send(each, from: $0) }
    channel.finish()
    let reference = try await consumers[0].value
    XCTAssertEqual(reference.count, senders * each)
    for sender in 0..<senders {
      XCTAssertEqual(reference.numbers(of: sender), Array(0..<each))
    }
    for consumer in consumers {
      assertEqual(try await consumer.value, reference)
    }
  }

  /// One subscriber moves elements out of the log, several copy them: both ways.
  func test_C4_anUnboundedSubscriberGetsEveryElementExactlyOnce() async throws {
    for subscribers in [1, 2, 7] {
      let census = Census()
      let channel = Channel<Tracked>()
      let consumers = (0..<subscribers).map { _ in channel.outlet.map(\.number).collecting() }
      _ = try await concurrently(3) { sender in
        for number in 0..<1000 { channel.send(Tracked(sender * 1000 + number, in: census)) }
      }
      channel.finish()
      for consumer in consumers {
        let received = try await consumer.value
        XCTAssertEqual(received.sorted(), Array(0..<3000))
      }
      XCTAssertEqual(census.count, 0)
    }
  }

  /// They start together over a full log, so they meet in the same slots.
  func test_C4_readersThatMeetInTheSameSlotsEachGetTheElementAndReleaseItOnce() async throws {
    let census = Census()
    for _ in 0..<20 {
      let channel = Channel<Tracked>()
      let subscriptions = (0..<3).map { _ in channel.outlet.subscribe() }
      for number in 0..<2000 { channel.send(Tracked(number, in: census)) }
      channel.finish()
      let sums = try await concurrently(3) { reader in
        var sum = 0
        for await element in subscriptions[reader] { sum += element.number }
        return sum
      }
      XCTAssertEqual(sums, Array(repeating: 1999 * 1000, count: 3))
      XCTAssertEqual(census.count, 0)
    }
  }

  func test_C5_twoIteratorsOfOneOutletEachGetEverything() async throws {
    let channel = Channel<Int>()
    let outlet = channel.outlet
    let (ahead, behind) = try await within {
      let (first, second) = (outlet.makeAsyncIterator(), outlet.makeAsyncIterator())
      for number in 0..<300 { channel.send(number) }
      channel.finish()
      var (ahead, behind): ([Int], [Int]) = ([], [])
      // The first runs 200 elements, several segments, ahead of the second.
      for _ in 0..<200 { if let number = await first.next() { ahead.append(number) } }
      while let number = await second.next() {
        behind.append(number)
        if let number = await first.next() { ahead.append(number) }
      }
      return (ahead, behind)
    }
    XCTAssertEqual(ahead, Array(0..<300))
    XCTAssertEqual(behind, Array(0..<300))
  }

  func test_C6_joiningAndLeavingInABurstCostsTheOthersNoElement() async throws {
    let census = Census()
    let channel = Channel<Tracked>()
    let steady = (0..<3).map { _ in channel.outlet.map(\.number).collecting() }
    let isOver = Gate()
    let sender = Task {
      // The churners below take what is sent, so the burst goes on until they are through.
      for number in 0..<6000 {
        channel.send(Tracked(number, in: census))
        if number.isMultiple(of: 64) { await Task.yield() }
      }
      await isOver.pass()
      channel.finish()
    }
    _ = try await concurrently(4) { churner in
      for round in 0..<100 {
        let policy: BufferingPolicy = churner == 0 ? .bufferingOldest(200) : .unbounded
        let subscription = channel.outlet.map(\.number).subscribe(buffering: policy)
        await giveWay(round % 5)
        // A stranger of its own makes sure that there is something to take.
        let wanted = (churner * 31 + round) % 80
        for _ in 0..<wanted { channel.send(Tracked(-1, in: census)) }
        let taken = try await subscription.take(wanted).filter { $0 >= 0 }
        XCTAssertEqual(taken, taken.first.map { Array($0..<$0 + taken.count) } ?? [])
      }
    }
    isOver.open()
    try await sender.result(within: .seconds(60))
    for consumer in steady {
      assertEqual(try await consumer.value.filter { $0 >= 0 }, Array(0..<6000))
    }
    XCTAssertEqual(census.count, 0)
  }
}
