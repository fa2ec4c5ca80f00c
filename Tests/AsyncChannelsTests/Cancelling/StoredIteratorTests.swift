import AsyncChannels
import TestSupport
import XCTest

/// Iterators that outlive one loop, as `Subscription.Iterator` allows.
final class StoredIteratorTests: XCTestCase {
  private actor Reader {
    private let iterator: Subscription<Int>.Iterator

    init(_ subscription: Subscription<Int>) {
      iterator = subscription.makeAsyncIterator()
    }

    func next() async -> Int? { await iterator.next() }
  }

  /// Looking at the cancellation each time would cost more than the delivery.
  func test_C28_aCancelledTaskGetsLittleFromAnIteratorThatAnotherTaskUsedBefore() async throws {
    let channel = Channel<Int>()
    let reader = Reader(channel.outlet.subscribe())
    for number in 1...1000 { channel.send(number) }
    assertEqual(try await within { await reader.next() }, 1)
    let taken = try await within {
      cancelThisTask()
      var count = 0
      while await reader.next() != nil { count += 1 }
      return count
    }
    XCTAssertLessThanOrEqual(taken, 64)
  }

  func test_C28_aCancelledTaskGetsNilFromASubscriptionThatAnotherTaskUsedBefore() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.subscribe()
    channel.send(1)
    channel.send(2)
    assertEqual(try await within { await subscription.next() }, 1)
    let second = try await within {
      cancelThisTask()
      return await subscription.next()
    }
    XCTAssertNil(second)
  }

  /// The older one asks for the first time when the newer one has asked, and left its loop.
  func test_C32b_anIteratorMadeBeforeAnotherConsumersLoopGetsNilAfterIt() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.subscribe()
    let reader = Reader(subscription)
    channel.send(1)
    channel.send(2)
    let (hasLeft, mayEnd) = (Gate(), Gate())
    // It lives on, so that its identity is not that of the next task.
    let other = Task {
      for await number in subscription {
        XCTAssertEqual(number, 1)
        break
      }
      hasLeft.open()
      await mayEnd.pass()
    }
    try await within { await hasLeft.pass() }
    let fromTheOlder = try await within { await reader.next() }
    XCTAssertNil(fromTheOlder)
    assertEqual(try await within { await subscription.next() }, 2, "the older one stole an element")
    mayEnd.open()
    try await other.result()
  }

  /// An actor is free while it waits, so that a second call can come.
  func test_C32c_aCallThatComesWhileAnEarlierOneWaitsTakesItsPlace() async throws {
    let channel = Channel<Int>()
    let reader = Reader(channel.outlet.subscribe())
    var waiting = Task { await reader.next() }
    try await channel.untilAsleep(1)
    for _ in 0..<10 {
      let earlier = waiting
      waiting = Task { await reader.next() }
      let fromTheEarlier = try await earlier.result()
      XCTAssertNil(fromTheEarlier)
      try await channel.untilAsleep(1)
    }
    channel.send(1)
    assertEqual(try await waiting.result(), 1)
    channel.send(2)
    assertEqual(try await within { await reader.next() }, 2)
  }
}
