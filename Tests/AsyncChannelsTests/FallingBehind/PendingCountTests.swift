import AsyncChannels
import TestSupport
import XCTest

final class PendingCountTests: XCTestCase {
  func test_C71_itIsWhatWasSentOrReplayedAndNeitherTakenNorDropped() async throws {
    let channel = Channel<Int>(replaying: 3)
    for number in 0..<5 { channel.send(number) }
    let unbounded = channel.outlet.subscribe()
    let newest = channel.outlet.subscribe(buffering: .bufferingNewest(2))
    let oldest = channel.outlet.subscribe(buffering: .bufferingOldest(4))
    let derived = channel.outlet.filter { $0 > 1000 }.subscribe()
    XCTAssertEqual([unbounded, newest, oldest, derived].map(\.pendingCount), [3, 2, 3, 3])
    // Over the end of some segments.
    for number in 0..<200 { channel.send(number) }
    XCTAssertEqual([unbounded, newest, oldest, derived].map(\.pendingCount), [203, 2, 4, 203])
    let iterator = unbounded.makeAsyncIterator()
    for taken in 1...203 {
      let element = await iterator.next()
      XCTAssertNotNil(element)
      XCTAssertEqual(unbounded.pendingCount, 203 - taken)
    }
    _ = try await newest.take(1)
    _ = try await oldest.take(1)
    XCTAssertEqual([newest, oldest].map(\.pendingCount), [1, 3])
    channel.send(0)
    channel.finish()
    XCTAssertEqual([unbounded, newest, oldest].map(\.pendingCount), [1, 2, 4])
    for subscription in [unbounded, newest, oldest] {
      _ = try await subscription.collect()
      XCTAssertEqual(subscription.pendingCount, 0)
    }
    XCTAssertEqual(channel.outlet.subscribe().pendingCount, 0)
  }

  func test_C71_ofDerivedStateItCountsWhatEachStateHas() async throws {
    let (one, other) = (CurrentValue(1), CurrentValue("a"))
    let both = StateOutlet.combine(one.outlet, other.outlet).subscribe()
    XCTAssertEqual(both.pendingCount, 2)
    _ = await both.next()
    XCTAssertEqual(both.pendingCount, 0)
    one.value = 2
    other.value = "b"
    XCTAssertEqual(both.pendingCount, 2)
    XCTAssertEqual(StateOutlet.constant(1).subscribe().pendingCount, 1)
  }

  func test_C71_askingDisplacesNobodyAndCostsNoElement() async throws {
    for policy in [BufferingPolicy.unbounded, .bufferingOldest(100_000)] {
      let channel = Channel<Int>(buffering: policy)
      let subscription = channel.outlet.subscribe()
      let count = 20_000
      let consumer = Task { try await subscription.collect() }
      let asker = Task {
        while !Task.isCancelled {
          XCTAssertLessThanOrEqual(subscription.pendingCount, count)
          await Task.yield()
        }
      }
      for number in 0..<count { channel.send(number) }
      channel.finish()
      let taken = try await consumer.value
      XCTAssertEqual(taken, Array(0..<count))
      asker.cancel()
      await asker.value
    }
  }
}
