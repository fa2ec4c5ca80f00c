import AsyncChannels
import TestSupport
import XCTest

/// What a slow subscriber costs others, and holds (C17, C18, C19).
final class SlowSubscriberTests: XCTestCase {
  private let policies: [BufferingPolicy] = [.unbounded, .bufferingNewest(2), .bufferingOldest(2)]

  func test_C17_aStuckConsumerDelaysNoSenderAndCostsNobodyAnElement() async throws {
    let channel = Channel<Int>()
    let (isStuck, mayGoOn) = (Gate(), Gate())
    let stuck = policies.map { policy in
      let subscription = channel.outlet.subscribe(buffering: policy)
      return Task {
        var received: [Int] = []
        for await number in subscription {
          received.append(number)
          isStuck.open()
          await mayGoOn.pass()
        }
        return received
      }
    }
    let others = (0..<2).map { _ in channel.outlet.collecting() }
    let counting = channel.outlet.subscribe()
    channel.send(0)
    try await within { await isStuck.pass() }
    _ = try await concurrently(1) { _ in for number in 1..<3000 { channel.send(number) } }
    // Everybody else gets everything while the stuck are stuck.
    assertEqual(try await counting.take(3000), Array(0..<3000))
    channel.finish()
    for other in others {
      assertEqual(try await other.value, Array(0..<3000))
    }
    mayGoOn.open()
    let received = try await stuck[0].result()
    XCTAssertEqual(received, Array(0..<3000))
    for bounded in stuck.dropFirst() {
      let received = try await bounded.result()
      XCTAssertLessThanOrEqual(received.count, 3)
    }
  }

  func test_C17_abandonedSubscribersCostNobodyAnElement() async throws {
    let channel = Channel<Int>(replaying: 1)
    channel.send(0)
    let neverConsumed = policies.map { channel.outlet.subscribe(buffering: $0) }
    let leftBehind = policies.map { channel.outlet.subscribe(buffering: $0) }
    for subscription in leftBehind {
      assertEqual(try await subscription.take(1), [0])
    }
    let consumer = channel.outlet.collecting()
    for number in 1..<3000 {
      XCTAssertEqual(channel.send(number), .sent(subscribers: 7))
      if number.isMultiple(of: 500) { try await channel.untilAsleep(1) }
    }
    channel.finish()
    assertEqual(try await consumer.value, Array(0..<3000))
    let late = try await (neverConsumed[0].collect(), leftBehind[0].collect())
    XCTAssertEqual(late.0, Array(0..<3000))
    XCTAssertEqual(late.1, Array(1..<3000))
  }

  func test_C18_aStuckBoundedSubscriberHoldsAtMostItsLimit() async throws {
    for limit in [1, 2, 64, 100] {
      for policy in [BufferingPolicy.bufferingNewest(limit), .bufferingOldest(limit)] {
        let census = Census()
        let channel = Channel<Tracked>(buffering: policy)
        var stuck: Subscription<Tracked>? = channel.outlet.subscribe()
        for number in 0..<2000 {
          channel.send(Tracked(number, in: census))
          XCTAssertEqual(census.count, min(number + 1, limit))
        }
        assertEqual(try await stuck?.take(1).count, 1)
        XCTAssertEqual(census.count, limit - 1)
        stuck = nil
        XCTAssertEqual(census.count, 0)
      }
    }
  }

  func test_C18_aStuckBoundedSubscriberHoldsNothingThatOthersHaveTaken() async throws {
    let census = Census()
    let channel = Channel<Tracked>(replaying: 3)
    for number in 0..<5 { channel.send(Tracked(number, in: census)) }
    let stuck = channel.outlet.subscribe(buffering: .bufferingOldest(4))
    let reader = channel.outlet.subscribe()
    _ = try await reader.take(3).count
    for number in 5..<1000 {
      channel.send(Tracked(number, in: census))
      _ = try await reader.take(1).count
    }
    // The oldest four of the stuck one, and the window's three.
    XCTAssertEqual(census.count, 7)
    channel.finish()
    XCTAssertEqual(census.count, 4)
    assertEqual(try await stuck.collect().map(\.number), [2, 3, 4, 5])
    XCTAssertEqual(census.count, 0)
  }

  func test_C19_aConsumerThatAlwaysFindsAnElementSeesItsCancellationWithin64() async throws {
    let kinds: [(String, (Channel<Int>) -> Subscription<Int>)] = [
      ("unbounded", { $0.outlet.subscribe() }),
      ("newest", { $0.outlet.subscribe(buffering: .bufferingNewest(1000)) }),
      ("oldest", { $0.outlet.subscribe(buffering: .bufferingOldest(1000)) }),
      ("derived", { $0.outlet.filter { _ in true }.subscribe() }),
    ]
    for window in [0, 70] {
      for (kind, subscribe) in kinds {
        for before in [1, 2, 31, 63, 64, 65, 128, 200] {
          let channel = Channel<Int>(replaying: window)
          // So the subscription may begin in the middle of a segment, and what is replayed is full.
          let other = channel.outlet.subscribe()
          for number in -70..<0 { channel.send(number) }
          let subscription = subscribe(channel)
          for number in 0..<400 { channel.send(number) }
          let taken = try await within {
            var taken: [Int] = []
            for await number in subscription {
              taken.append(number)
              if taken.count == before { cancelThisTask() }
            }
            return taken
          }
          XCTAssertGreaterThanOrEqual(taken.count, before, kind)
          XCTAssertLessThanOrEqual(taken.count, before + 64, kind)
          channel.finish()
          let rest = try await subscription.collect()
          XCTAssertEqual(taken + rest, Array(-window..<400), kind)
          withExtendedLifetime(other) {}
        }
      }
    }
  }

  func test_C19_aConsumerThatNeverWaitsSeesACancellationFromElsewhere() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.subscribe()
    for number in 0..<100 { channel.send(number) }
    let hasBegun = Gate()
    // It sends one for each that it takes, so it always finds one.
    let consumer = Task {
      for await number in subscription {
        channel.send(number + 100)
        hasBegun.open()
      }
    }
    try await within { await hasBegun.pass() }
    try await consumer.cancelAndWait()
    XCTAssertTrue(consumer.isCancelled)
  }

  func test_C19_aFilterThatLetsNothingThroughSeesTheCancellationToo() async throws {
    let channel = Channel<Int>()
    let hasBegun = Gate()
    let nothing = channel.outlet.filter { number in
      hasBegun.open()
      channel.send(number + 1)
      return false
    }.subscribe()
    channel.send(0)
    let consumer = Task { for await _ in nothing {} }
    try await within { await hasBegun.pass() }
    try await consumer.cancelAndWait()
  }
}
