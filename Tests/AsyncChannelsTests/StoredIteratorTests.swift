import AsyncChannels
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

  func test_C28_aCancelledTaskGetsNilFromAnIteratorThatAnotherTaskUsedBefore() async throws {
    let channel = Channel<Int>()
    let reader = Reader(channel.outlet.subscribe())
    channel.send(1)
    channel.send(2)
    let first = try await within { await reader.next() }
    XCTAssertEqual(first, 1)
    let second = try await within {
      cancelThisTask()
      return await reader.next()
    }
    XCTAssertNil(second)
  }

  /// The second consumer has left its loop: nobody else consumes when the first begins.
  func test_C31_anIteratorMadeBeforeAnotherConsumersLoopContinuesAfterIt() async throws {
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
    let second = try await within { await reader.next() }
    XCTAssertEqual(second, 2)
    mayEnd.open()
    try await other.result(within: .seconds(20))
  }
}
