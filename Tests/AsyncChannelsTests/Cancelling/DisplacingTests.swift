@testable import AsyncChannels
import Dispatch
import TestSupport
import XCTest

/// What becomes of an older consumer of a subscription when a newer one asks. None of them is
/// cancelled here; `HandoverTests` has those that are.
final class DisplacingTests: XCTestCase {
  func test_C32a_aConsumerThatWaitsIsDisplacedByTheOneThatAsksLater() async throws {
    for (channel, subscription) in channelsWithSubscriptions() {
      let first = subscription.consuming()
      try await channel.untilAsleep(1)
      channel.send(1)
      try await channel.untilAsleep(1)
      let second = subscription.consuming()
      assertEqual(try await first.result(), [1])
      try await channel.untilAsleep(1)
      channel.send(2)
      channel.finish()
      assertEqual(try await second.result(), [2])
    }
  }

  func test_C32b_aConsumerThatComesBackLaterStealsNothingFromTheNewer() async throws {
    for (channel, subscription) in channelsWithSubscriptions() {
      for number in 1...6 { channel.send(number) }
      let (older, newer) = (subscription.makeAsyncIterator(), subscription.makeAsyncIterator())
      let first = await older.next()
      let second = await newer.next()
      let afterwards = [await older.next(), await older.next()]
      let third = await newer.next()
      let fourth = await subscription.next()
      let atLast = [await newer.next(), await older.next()]
      let fifth = await subscription.next()
      XCTAssertEqual([first, second, third, fourth, fifth], [1, 2, 3, 4, 5])
      XCTAssertEqual(afterwards, [nil, nil])
      XCTAssertEqual(atLast, [nil, nil])
    }
  }

  func test_C32b_anIteratorThatHasNotAskedYetDisplacesNobody() async throws {
    for (channel, subscription) in channelsWithSubscriptions() {
      let first = subscription.consuming()
      try await channel.untilAsleep(1)
      _ = subscription.makeAsyncIterator()
      channel.send(1)
      channel.finish()
      assertEqual(try await first.result(), [1])
    }
  }

  /// A probe takes so at its end.
  func test_C32a_takingWhatIsThereWithoutWaitingDisplacesTheOneThatWaits() async throws {
    for (channel, subscription) in channelsWithSubscriptions() {
      let first = subscription.consuming()
      try await channel.untilAsleep(1)
      let now = subscription.takeNow()
      XCTAssertNil(now.element)
      XCTAssertEqual(now.result, .nothing)
      assertEqual(try await first.result(), [])
      channel.send(1)
      assertEqual(await subscription.next(), 1)
    }
  }

  /// A crowd on one subscription, while elements come: each element is one consumer's, none is lost,
  /// and each consumer's own are in order.
  func test_C32b_howeverManyAskNothingIsLostOrGivenTwice() async throws {
    for _ in 0..<Length.rounds(30) {
      for (channel, subscription) in channelsWithSubscriptions() {
        let sender = Task.detached {
          for number in 0..<5_000 {
            channel.send(number)
            if number.isMultiple(of: 64) { await Task.yield() }
          }
          channel.finish()
        }
        let taken = try await concurrently(8) { _ in
          var taken: [Int] = []
          for _ in 0..<20 {
            for await number in subscription { taken.append(number) }
            await Task.yield()
          }
          return taken
        }
        try await sender.result()
        let rest = try await subscription.collect()
        XCTAssertEqual((taken.joined() + rest).sorted(), Array(0..<5_000))
        for numbers in taken { XCTAssertEqual(numbers, numbers.sorted()) }
      }
    }
  }

  func test_C32d_aDebugBuildReportsTheFirstThatWasDisplaced() async throws {
    struct Greeting: Sendable {}
    let output = try await assertSurvives("displaced") {
      let channel = Channel<Greeting>()
      let subscription = channel.outlet.subscribe()
      for _ in 0..<3 {
        let first = Task { for await _ in subscription {} }
        try await channel.untilAsleep(1)
        let second = Task { await subscription.next() }
        try await first.result()
        second.cancel()
        // Or the next round would find it asleep, and take it for its first.
        _ = try await second.result()
      }
    }
    guard let output else { return }
    #if DEBUG
      let reports = output.split(separator: "\n").filter { $0.hasPrefix("AsyncChannels: ") }
      XCTAssertEqual(reports.count, 1, output)
      XCTAssert(output.contains("a subscription to Greeting was displaced by a newer one"), output)
    #else
      XCTAssertEqual(output, "")
    #endif
  }

  func test_C32d_handingOverAfterACancellationIsReportedToNobody() async throws {
    let output = try await assertSurvives("cancelled") {
      let channel = Channel<Int>()
      let subscription = channel.outlet.subscribe()
      for _ in 0..<100 {
        let first = Task { for await _ in subscription {} }
        await giveWay(5)
        first.cancel()
        let second = Task { await subscription.next() }
        await first.value
        channel.send(1)
        _ = await second.value
      }
    }
    if let output { XCTAssertEqual(output, "") }
  }

  func test_C48b_C91_theNextConsumerNeedNotWaitForAClosureThatAnotherIsIn() async throws {
    let channel = Channel<Int>()
    let inClosure = Gate()
    let mayEnd = DispatchSemaphore(value: 0)
    let subscription = channel.outlet.map { number in
      if number == 1 {
        inClosure.open()
        mayEnd.wait()
      }
      return number
    }.subscribe()
    channel.send(1)
    channel.send(2)
    let first = subscription.consuming()
    try await within { await inClosure.pass() }
    first.cancel()
    assertEqual(try await within { await subscription.next() }, 2)
    mayEnd.signal()
    assertEqual(try await first.result(), [1], "what was taken is not lost")
  }
}
