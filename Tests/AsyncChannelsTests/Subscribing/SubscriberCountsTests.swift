import Observation
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// The number of subscribers as state.
final class SubscriberCountsTests: XCTestCase {
  func test_C66a_C66b_itBeginsWithTheCountThereIsAndGivesEachChangeInOrder() async throws {
    let channel = Channel<Int>(replaying: 1)
    var subscriptions = [channel.outlet.subscribe()]
    let counts = channel.subscriberCounts
    XCTAssertEqual(counts.value, 1)
    let changes = counts.subscribe()
    for policy in [BufferingPolicy.unbounded, .bufferingNewest(1), .bufferingOldest(1)] {
      subscriptions.append(channel.outlet.map { $0 }.subscribe(buffering: policy))
      XCTAssertEqual(counts.value, subscriptions.count)
    }
    while !subscriptions.isEmpty {
      subscriptions.removeFirst()
      XCTAssertEqual(channel.subscriberCounts.value, subscriptions.count)
    }
    channel.send(1)
    channel.finish()
    let all = try await changes.collect()
    XCTAssertEqual(all, [1, 2, 3, 4, 3, 2, 1, 0])
  }

  func test_C66c_itIsZeroAndEndsWithTheOwnerAndKeepsItNotAlive() async throws {
    var channel: Channel<Int>? = Channel()
    let counts = try XCTUnwrap(channel?.subscriberCounts)
    let subscription = channel?.outlet.subscribe()
    let changes = counts.subscribe()
    channel = nil
    let all = try await changes.collect()
    XCTAssertEqual(all, [1, 0])
    XCTAssertEqual(counts.value, 0)
    let nothing = try await counts.outlet.collect()
    XCTAssertEqual(nothing, [])
    withExtendedLifetime(subscription) {}
  }

  func test_C66c_askedForAfterTheEndItIsZeroAndHasEnded() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.subscribe()
    channel.finish()
    XCTAssertEqual(channel.subscriberCounts.value, 0)
    let nothing = try await channel.subscriberCounts.outlet.collect()
    XCTAssertEqual(nothing, [])
    withExtendedLifetime((channel, subscription)) {}
  }

  func test_C66b_aStatesFollowersAreCountedThroughDerivedStateToo() {
    let number = CurrentValue(1)
    let counts = number.subscriberCounts
    var followers = [number.outlet.subscribe(), number.outlet.map { $0 }.subscribe()]
    XCTAssertEqual(counts.value, 2)
    XCTAssertEqual(number.subscriberCount, 2)
    followers = []
    XCTAssertEqual(counts.value, 0)
    XCTAssertEqual(number.subscriberCount, 0)
    withExtendedLifetime(followers) {}
  }

  func test_C66a_anOutputsOwnerSeesItsCount() {
    let output = Output<Int>()
    let subscription = output.outlet.subscribe()
    XCTAssertEqual(output.subscriberCounts.value, 1)
    XCTAssertEqual(output.subscriberCount, 1)
    withExtendedLifetime(subscription) {}
  }

  func test_C66b_observersAreToldWhenTheSubscriptionIsThere() {
    let channel = Channel<Int>()
    let counts = channel.subscriberCounts
    let told = Record<Int>()
    withObservationTracking {
      _ = counts.value
    } onChange: {
      told.add(channel.subscriberCount)
    }
    let subscription = channel.outlet.subscribe()
    XCTAssertEqual(told.events, [1])
    withExtendedLifetime(subscription) {}
  }

  func test_C66a_comingAndGoingOnManyThreadsLeavesOutNoChange() async throws {
    for _ in 0..<20 {
      let channel = Channel<Int>()
      let changes = Locked<Subscription<Int>?>(nil)
      try await onThreads(4) { lane in
        // Asked for in the middle of it, by one of them.
        if lane == 0 { changes.withLock { $0 = channel.subscriberCounts.subscribe() } }
        for index in 0..<50 {
          let policy: BufferingPolicy = index.isMultiple(of: 2) ? .unbounded : .bufferingNewest(1)
          withExtendedLifetime(channel.outlet.subscribe(buffering: policy)) {}
        }
      }
      channel.finish()
      let followed = try XCTUnwrap(changes.withLock { $0 })
      let all = try await followed.collect()
      XCTAssertEqual(all.last, 0)
      XCTAssertGreaterThan(all.count, 100)  // at least those of the lane that asked
      for (one, next) in zip(all, all.dropFirst()) { XCTAssertEqual(abs(one - next), 1) }
    }
  }

  func test_C66d_nothingIsMadeBeforeItIsAskedFor() {
    let channel = Channel<Int>()
    let subscription = channel.outlet.subscribe()
    XCTAssertTrue(channel.log.observers.isEmpty)
    withExtendedLifetime(subscription) {}
  }
}
