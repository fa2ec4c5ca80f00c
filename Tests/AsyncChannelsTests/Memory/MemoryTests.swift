import Foundation
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

final class MemoryTests: XCTestCase {
  func test_C34_anElementIsReleasedWhenItsOnlySubscriberHasTakenIt() async throws {
    for make in Self.subscribers {
      let channel = Channel<Tracked>()
      let iterator = make(channel.outlet).makeAsyncIterator()
      // More than a segment, so that its first and last slot are among them.
      for number in 0..<130 {
        let census = Census()
        weak let element = channel.sendTracked(number, census)
        XCTAssertNotNil(element)
        let number = await iterator.next()?.number
        XCTAssertNotNil(number)
        XCTAssertNil(element)
        XCTAssertEqual(census.count, 0)
      }
    }
  }

  func test_C34_anElementIsReleasedWhenTheLastOfItsSubscribersHasTakenIt() async throws {
    let census = Census()
    let channel = Channel<Tracked>()
    let first = channel.outlet.makeAsyncIterator()
    let second = channel.outlet.makeAsyncIterator()
    for number in 0..<100 { channel.send(Tracked(number, in: census)) }
    // Those who come later are owed nothing of it.
    let late = channel.outlet.makeAsyncIterator()
    for taken in 1...100 {
      _ = await first.next()
      XCTAssertEqual(census.count, 100 - taken + 1)
      _ = await second.next()
      XCTAssertEqual(census.count, 100 - taken)
    }
    withExtendedLifetime(late) {}
  }

  func test_C34_anElementIsReleasedWhenTheLastSubscriberThatIsOwedItLeaves() async throws {
    let census = Census()
    let channel = Channel<Tracked>()
    let stays = channel.outlet.makeAsyncIterator()
    var leaves = Optional(channel.outlet.subscribe())
    for number in 0..<100 { channel.send(Tracked(number, in: census)) }
    _ = try await leaves?.take(10)
    for _ in 0..<70 { _ = await stays.next() }
    XCTAssertEqual(census.count, 90)
    leaves = nil
    XCTAssertEqual(census.count, 30)
    for _ in 0..<30 { _ = await stays.next() }
    XCTAssertEqual(census.count, 0)
  }

  func test_C34_anElementIsReleasedWhenThePolicyDropsIt() async throws {
    let census = Census()
    let channel = Channel<Tracked>()
    let newest = channel.outlet.subscribe(buffering: .bufferingNewest(1))
    weak let first = channel.sendTracked(0, census)
    XCTAssertNotNil(first)
    weak let second = channel.sendTracked(1, census)
    XCTAssertNil(first)
    let oldest = channel.outlet.subscribe(buffering: .bufferingOldest(1))
    weak let third = channel.sendTracked(2, census)
    XCTAssertNil(second)
    weak let fourth = channel.sendTracked(3, census)
    XCTAssertNotNil(third)
    _ = try await newest.take(1)
    XCTAssertNil(fourth)
    _ = try await oldest.take(1)
    XCTAssertNil(third)
    XCTAssertEqual(census.count, 0)
  }

  func test_C34_theReplayWindowHoldsItsElementsUntilNewerOnesComeOrTheEnd() async throws {
    let census = Census()
    let channel = Channel<Tracked>(replaying: 2)
    for number in 0..<10 { channel.send(Tracked(number, in: census)) }
    XCTAssertEqual(census.count, 2)
    let subscription = channel.outlet.subscribe()
    for number in 10..<12 { channel.send(Tracked(number, in: census)) }
    // Two that the window has let go and a subscriber is still owed, and two in both.
    XCTAssertEqual(census.count, 4)
    assertEqual(try await subscription.take(2).map(\.number), [8, 9])
    XCTAssertEqual(census.count, 2)
    assertEqual(try await subscription.take(2).map(\.number), [10, 11])
    XCTAssertEqual(census.count, 2)
    channel.finish()
    XCTAssertEqual(census.count, 0)
  }

  func test_C34_twoWhoTakeTheSameElementAtTheSameMomentLeaveNothing() async throws {
    // Who comes last is not known when both copy: in step, on threads of their own, it often happens.
    for _ in 0..<200 {
      let census = Census()
      let channel = Channel<Tracked>()
      let cursors = (0..<2).map { _ in channel.log.subscribe(buffering: nil) }
      for number in 0..<60 { channel.send(Tracked(number, in: census)) }
      let steps = Steps()
      try await onThreads(2) { index in
        for step in 1...60 {
          steps.add(index)
          while steps.value(1 - index) < step { sched_yield() }
          let element = cursors[index].lookAndTake(.evenIfCancelled)
          XCTAssertEqual(element?.number, step - 1)
        }
      }
      XCTAssertEqual(census.count, 0)
    }
  }

  func test_C34_theEndReleasesWhatIsTakenAfterIt() async throws {
    let census = Census()
    let channel = Channel<Tracked>()
    let iterator = channel.outlet.makeAsyncIterator()
    for number in 0..<3 { channel.send(Tracked(number, in: census)) }
    channel.finish()
    for left in [2, 1, 0] {
      _ = await iterator.next()
      XCTAssertEqual(census.count, left)
    }
    let end = await iterator.next()
    XCTAssertNil(end)
  }

  func test_C35_aWaitingConsumerRetainsNeitherTheChannelNorWhatItHasTaken() async throws {
    for make in Self.subscribers {
      let census = Census()
      var channel = Optional(Channel<Tracked>(replaying: 1))
      weak let sameChannel = channel
      let subscription = channel.map { make($0.outlet) }
      let numbers = Record<Int>()
      let consumer = Task {
        guard let subscription else { return }
        for await element in subscription { numbers.add(element.number) }
      }
      for number in 0..<3 { channel?.send(Tracked(number, in: census)) }
      try await until("all taken") { numbers.count == 3 }
      try await channel?.untilAsleep(1)
      // The one that is replayed.
      XCTAssertEqual(census.count, 1)
      channel = nil
      XCTAssertNil(sameChannel)
      XCTAssertEqual(census.count, 0)
      try await within { await consumer.value }
    }
  }

  /// Or a twentieth, which is far too many for the stack.
  func test_C36_aMillionElementsAreDroppedOnASmallStack() async throws {
    let channel = Channel<Int>()
    let subscription = HandOver(channel.outlet.subscribe())
    for number in 0..<Length.rounds(1_000_000) { channel.send(number) }
    try await onSmallStack { _ = subscription.take() }
    XCTAssertEqual(channel.subscriberCount, 0)
    XCTAssertEqual(channel.send(1), .sent(subscribers: 0))
  }

  func test_C36_droppingABacklogReleasesItAllUnlessOthersAreOwedIt() async throws {
    for policy in [BufferingPolicy.unbounded, .bufferingNewest(20_000)] {
      let census = Census()
      let channel = Channel<Tracked>()
      let subscription = HandOver(channel.outlet.subscribe(buffering: policy))
      let other = HandOver(channel.outlet.subscribe())
      for number in 0..<20_000 { channel.send(Tracked(number, in: census)) }
      XCTAssertEqual(census.count, 20_000)
      try await onSmallStack { _ = subscription.take() }
      XCTAssertEqual(census.count, 20_000)
      try await onSmallStack { _ = other.take() }
      XCTAssertEqual(census.count, 0)
    }
  }

  func test_C36_aChainThatOnlyALaggingSubscriptionHoldsIsReleasedWithIt() async throws {
    let census = Census()
    var channel = Optional(Channel<Tracked>())
    let lagging = HandOver(channel?.outlet.subscribe())
    for number in 0..<50_000 { channel?.send(Tracked(number, in: census)) }
    channel = nil
    XCTAssertEqual(census.count, 50_000)
    try await onSmallStack { _ = lagging.take() }
    XCTAssertEqual(census.count, 0)
  }

  func test_C36_aListOfEmptiedSegmentsIsReleasedOnASmallStackToo() async throws {
    // Its only element is far from the end: everything between was taken by others.
    let census = Census()
    var channel = Optional(Channel<Tracked>())
    let lagging = HandOver(channel?.outlet.subscribe())
    let reader = channel?.outlet.makeAsyncIterator()
    for number in 0..<50_000 {
      channel?.send(Tracked(number, in: census))
      _ = await reader?.next()
    }
    channel = nil
    XCTAssertEqual(census.count, 50_000)
    try await onSmallStack { _ = lagging.take() }
    XCTAssertEqual(census.count, 0)
  }

  private static let subscribers: [@Sendable (Outlet<Tracked>) -> Subscription<Tracked>] = [
    { $0.subscribe() },
    { $0.subscribe(buffering: .bufferingNewest(10)) },
    { $0.filter { _ in true }.map { $0 }.subscribe() },
  ]
}

extension Channel<Tracked> {
  /// Sends a new element, for a caller that holds it weakly at most.
  fileprivate func sendTracked(_ number: Int, _ census: Census) -> Tracked? {
    let element = Tracked(number, in: census)
    send(element)
    return element
  }
}

/// How far each of two threads is.
private final class Steps: Sendable {
  private let first = Atomic(0)
  private let second = Atomic(0)

  func add(_ index: Int) {
    if index == 0 {
      first.add(1, ordering: .acquiringAndReleasing)
    } else {
      second.add(1, ordering: .acquiringAndReleasing)
    }
  }

  func value(_ index: Int) -> Int {
    index == 0 ? first.load(ordering: .acquiring) : second.load(ordering: .acquiring)
  }
}
