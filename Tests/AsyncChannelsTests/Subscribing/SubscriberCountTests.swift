import AsyncChannels
import TestSupport
import XCTest

/// C13.
final class SubscriberCountTests: XCTestCase {
  func test_C13_theCountIsThatOfLiveSubscriptions() {
    let channel = Channel<Int>(replaying: 1)
    XCTAssertEqual(channel.subscriberCount, 0)
    var subscriptions: [Subscription<Int>] = []
    // The bounded ones leave from the beginning, the middle and the end of the list they are in.
    for index in 0..<30 {
      let policy: BufferingPolicy = index.isMultiple(of: 3) ? .unbounded : .bufferingNewest(2)
      subscriptions.append(channel.outlet.subscribe(buffering: policy))
      XCTAssertEqual(channel.subscriberCount, index + 1)
      XCTAssertEqual(channel.send(index), .sent(subscribers: index + 1))
    }
    for count in (0..<30).reversed() {
      subscriptions.remove(at: (count * 7) % subscriptions.count)
      XCTAssertEqual(channel.subscriberCount, count)
      XCTAssertEqual(channel.inlet.send(0), .sent(subscribers: count))
    }
  }

  func test_C13_derivedOutletsCountWhenTheyAreSubscribedTo() {
    let channel = Channel<Int>()
    let derived = channel.outlet.map { $0 }.filter { $0 > 0 }
    XCTAssertEqual(channel.subscriberCount, 0)
    var subscription: Subscription<Int>? = derived.subscribe()
    XCTAssertNotNil(subscription)
    XCTAssertEqual(channel.subscriberCount, 1)
    subscription = nil
    XCTAssertEqual(channel.subscriberCount, 0)
  }

  func test_C13_anIteratorCountsAndKeepsItsSubscriptionAlive() {
    let channel = Channel<Int>()
    var iterator: Subscription<Int>.Iterator? = channel.outlet.makeAsyncIterator()
    XCTAssertEqual(channel.subscriberCount, 1)
    var subscription: Subscription<Int>? = channel.outlet.subscribe()
    iterator = subscription?.makeAsyncIterator()
    XCTAssertEqual(channel.subscriberCount, 1)
    subscription = nil
    XCTAssertEqual(channel.subscriberCount, 1)
    iterator = nil
    XCTAssertEqual(channel.subscriberCount, 0)
    withExtendedLifetime((iterator, subscription)) {}
  }

  func test_C13_breakingOutOfALoopLowersTheCountUnlessTheSubscriptionIsKept() async throws {
    let channel = Channel<Int>(replaying: 1)
    channel.send(1)
    try await within {
      for await _ in channel.outlet {
        XCTAssertEqual(channel.subscriberCount, 1)
        break
      }
    }
    XCTAssertEqual(channel.subscriberCount, 0)
    let kept = channel.outlet.subscribe()
    _ = try await kept.take(1)
    XCTAssertEqual(channel.subscriberCount, 1)
    withExtendedLifetime(kept) {}
  }

  func test_C13_cancellingALoopsTaskLowersTheCount() async throws {
    let channel = Channel<Int>()
    let outlet = channel.outlet
    for round in 0..<100 {
      let loops = (0..<3).map { _ in Task { for await _ in outlet {} } }
      await giveWay(round % 4)
      if round.isMultiple(of: 2) { try await channel.untilAsleep(3) }
      for loop in loops { loop.cancel() }
      for loop in loops { try await loop.result() }
      XCTAssertEqual(channel.subscriberCount, 0)
    }
  }

  func test_C13_aCancelledSubscriptionCountsUntilItIsDropped() async throws {
    let channel = Channel<Int>()
    var subscription: Subscription<Int>? = channel.outlet.subscribe()
    let loop = Task { [subscription] in for await _ in try XCTUnwrap(subscription) {} }
    try await channel.untilAsleep(1)
    try await loop.cancelAndWait()
    XCTAssertEqual(channel.subscriberCount, 1)
    subscription = nil
    // The task's closure has a reference too, which goes with the task.
    try await until("the subscription is gone") { channel.subscriberCount == 0 }
    withExtendedLifetime(subscription) {}
  }

  func test_C13_afterFinishTheCountIsZeroForGood() {
    let channel = Channel<Int>(replaying: 1)
    var subscriptions = BufferingPolicy.roomy(for: 2).map {
      channel.outlet.subscribe(buffering: $0)
    }
    XCTAssertEqual(channel.subscriberCount, 3)
    channel.finish()
    XCTAssertEqual(channel.subscriberCount, 0)
    subscriptions.append(channel.outlet.subscribe())
    XCTAssertEqual(channel.subscriberCount, 0)
    subscriptions = []
    XCTAssertEqual(channel.subscriberCount, 0)
  }

  func test_C13_theCountIsExactAfterManyCameAndWentAtOnce() async throws {
    let channel = Channel<Int>(replaying: 2)
    let kept = try await concurrently(4) { number in
      var kept: [Subscription<Int>] = []
      for round in 0..<300 {
        let policy: BufferingPolicy = (round + number) % 2 == 0 ? .unbounded : .bufferingOldest(1)
        let subscription = channel.outlet.subscribe(buffering: policy)
        channel.send(round)
        if round.isMultiple(of: 10) { kept.append(subscription) }
      }
      return kept
    }
    XCTAssertEqual(channel.subscriberCount, 120)
    withExtendedLifetime(kept) {}
  }
}
