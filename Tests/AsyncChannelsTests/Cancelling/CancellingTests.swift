import AsyncChannels
import TestSupport
import XCTest

/// C27 to C29.
final class CancellingTests: XCTestCase {
  /// Subscriptions of every kind to a channel.
  private func subscriptions(to channel: Channel<Int>) -> [Subscription<Int>] {
    BufferingPolicy.roomy(for: 200).map { channel.outlet.subscribe(buffering: $0) }
      + [channel.outlet.map { $0 }.subscribe()]
  }

  func test_C27_cancellingAWaitingTaskEndsItsLoopWithNothingSent() async throws {
    for window in [0, 1] {
      let channel = Channel<Int>(replaying: window)
      channel.send(1)
      let loops = subscriptions(to: channel).map { $0.consuming() }
      try await channel.untilAsleep(4)
      for loop in loops { loop.cancel() }
      for loop in loops {
        assertEqual(try await loop.result(), Array(repeating: 1, count: window))
      }
      try await channel.untilAsleep(0)
      try await until("all have left") { channel.subscriberCount == 0 }
    }
  }

  func test_C27_noOtherWaitingSubscriberNotices() async throws {
    // Which of seven sleepers are cancelled, and in which order they leave the line.
    let cases = [
      [0], [6], [3], [0, 1], [6, 5], [2, 3, 4], [4, 2, 3], [0, 6], [1, 3, 5], [0, 1, 2, 3, 4, 5],
      [6, 5, 4, 3, 2, 1], [3, 0, 6, 1, 5, 2],
    ]
    for cancelled in cases {
      let channel = Channel<Int>()
      var loops: [Task<[Int], Never>] = []
      for count in 1...7 {
        loops.append(channel.outlet.subscribe().consuming())
        try await channel.untilAsleep(count)
      }
      for index in cancelled { loops[index].cancel() }
      for index in cancelled {
        assertEqual(try await loops[index].result(), [])
      }
      // Whoever was cancelled is not in the line any more, and nobody else has left it.
      try await channel.untilAsleep(7 - cancelled.count)
      XCTAssertEqual(channel.send(1), .sent(subscribers: 7 - cancelled.count))
      try await channel.untilAsleep(7 - cancelled.count)
      channel.send(2)
      channel.finish()
      for index in 0..<7 where !cancelled.contains(index) {
        assertEqual(try await loops[index].result(), [1, 2])
      }
    }
  }

  func test_C27_aKeptSubscriptionOfACancelledTaskIsInNobodysWay() async throws {
    let channel = Channel<Int>()
    let kept = (0..<3).map { _ in channel.outlet.subscribe() }
    let cancelled = kept.map { $0.consuming() }
    try await channel.untilAsleep(3)
    let waiting = channel.outlet.collecting()
    try await channel.untilAsleep(4)
    for loop in cancelled { loop.cancel() }
    for loop in cancelled { _ = try await loop.result() }
    channel.send(1)
    try await channel.untilAsleep(1)
    for number in 2..<100 { channel.send(number) }
    channel.finish()
    assertEqual(try await waiting.value, Array(1..<100))
    for subscription in kept {
      assertEqual(try await subscription.collect(), Array(1..<100))
    }
  }

  func test_C28_aTaskThatIsAlreadyCancelledGetsNothingAndTakesNothing() async throws {
    for window in [0, 2] {
      for isFinished in [false, true] {
        let channel = Channel<Int>(replaying: window)
        for number in -window..<0 { channel.send(number) }
        let subscriptions = subscriptions(to: channel)
        for number in 0..<70 { channel.send(number) }
        if isFinished { channel.finish() }
        for subscription in subscriptions {
          let received = try await within {
            cancelThisTask()
            let iterator = subscription.makeAsyncIterator()
            return [await iterator.next(), await iterator.next()]
          }
          XCTAssertEqual(received, [nil, nil])
        }
        channel.finish()
        for subscription in subscriptions {
          assertEqual(try await subscription.collect(), Array(-window..<70))
        }
      }
    }
  }

  func test_C28_aCancelledTaskLeavesTheLoopOverAnOutletAtOnce() async throws {
    let channel = Channel<Int>(replaying: 3)
    channel.send(1)
    try await within {
      cancelThisTask()
      for await number in channel.outlet { XCTFail("\(number) came") }
      for await number in channel.outlet.map({ $0 }) { XCTFail("\(number) came") }
    }
    XCTAssertEqual(channel.subscriberCount, 0)
    try await channel.untilAsleep(0)
  }

  func test_C28_aCancelledTaskTakesNothingFromTheIteratorOfAnOutlet() async throws {
    for window in [0, 3] {
      for policy in [BufferingPolicy.unbounded, .bufferingNewest(8)] {
        let channel = Channel<Int>(replaying: window, buffering: policy)
        channel.send(1)
        let received = try await within {
          let iterator = channel.outlet.makeAsyncIterator()
          channel.send(2)
          cancelThisTask()
          return [await iterator.next(), await iterator.next()]
        }
        XCTAssertEqual(received, [nil, nil], "replaying \(window), \(policy)")
      }
    }
  }

  func test_C28_aTaskCancelledBeforeItRanIsAsGoodAsCancelled() async throws {
    let channel = Channel<Int>()
    channel.send(0)
    let subscription = channel.outlet.subscribe()
    channel.send(1)
    let (gate, hasEnded) = (Gate(), Gate())
    let task = Task {
      await gate.pass()
      for await number in subscription { XCTFail("\(number) came") }
      hasEnded.open()
    }
    task.cancel()
    gate.open()
    try await within { await hasEnded.pass() }
    channel.finish()
    assertEqual(try await subscription.collect(), [1])
  }

  func test_C29_cancellingAgainDoesNothing() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.subscribe()
    let loop = subscription.consuming()
    try await channel.untilAsleep(1)
    loop.cancel()
    try await loop.cancelAndWait()
    loop.cancel()
    // Another consumes now; cancelling the first once more is nothing to it.
    let next = subscription.consuming()
    channel.send(1)
    try await channel.untilAsleep(1)
    loop.cancel()
    channel.send(2)
    try await channel.untilAsleep(1)
    channel.finish()
    assertEqual(try await next.result(), [1, 2])
  }

  func test_C29_cancellingAfterTheEndDoesNothing() async throws {
    let channel = Channel<Int>()
    let subscriptions = subscriptions(to: channel)
    let loops = subscriptions.map { $0.consuming() }
    channel.send(1)
    channel.finish()
    for (loop, subscription) in zip(loops, subscriptions) {
      let received = try await loop.result()
      loop.cancel()
      XCTAssertEqual(received, [1])
      assertEqual(try await subscription.collect(), [])
    }
  }

  func test_C29_cancellingATokenAgainOrAfterTheEndDoesNothing() async throws {
    let channel = Channel<Int>()
    let (log, continuation) = AsyncStream.makeStream(of: Int.self)
    let cancelled = channel.outlet.observe { number in continuation.yield(-number) }
    let ended = channel.outlet.observe { number in
      continuation.yield(number)
      if number == 2 { continuation.finish() }
    }
    try await channel.untilAsleep(2)
    cancelled.cancel()
    cancelled.cancel()
    try await until("the observer has left") { channel.subscriberCount == 1 }
    channel.send(1)
    cancelled.cancel()
    channel.send(2)
    channel.finish()
    assertEqual(try await log.collect(), [1, 2])
    ended.cancel()
    ended.cancel()
  }
}
