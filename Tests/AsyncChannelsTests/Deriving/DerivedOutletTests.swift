import TestSupport
import XCTest

@testable import AsyncChannels

final class DerivedOutletTests: XCTestCase {
  func test_C48b_derivedOutletsTransformSelectAndRemove() async throws {
    let numbers = Outlet.just(1, 2, 2, 3, 3, 3, 1)
    assertEqual(try await numbers.map { "\($0)" }.collect(), ["1", "2", "2", "3", "3", "3", "1"])
    assertEqual(try await numbers.filter { $0 > 1 }.collect(), [2, 2, 3, 3, 3])
    let compacted = try await numbers.compactMap { $0 > 1 ? $0 * 10 : nil }.collect()
    XCTAssertEqual(compacted, [20, 20, 30, 30, 30])
    assertEqual(try await numbers.removeDuplicates().collect(), [1, 2, 3, 1])
    let all = try await numbers.removeDuplicates().filter { $0 != 2 }.map { -$0 }
      .removeDuplicates().collect()
    XCTAssertEqual(all, [-1, -3, -1])
  }

  func test_C48b_aMappedNilIsAnElementAndACompactMappedOneIsNot() async throws {
    let numbers = Outlet.just(1, 2, 3)
    assertEqual(try await numbers.map { $0 == 2 ? nil : Optional($0) }.collect(), [1, nil, 3])
    assertEqual(
      try await Outlet<Int?>.just(nil, 1, nil).filter { $0 == nil }.collect(), [nil, nil])
    let distinct = try await Outlet<Int?>.just(nil, nil, 1, nil).removeDuplicates().collect()
    XCTAssertEqual(distinct, [nil, 1, nil])
  }

  func test_C48a_aDerivedOutletBeginsWhereItsBasesSubscriptionBegins() async throws {
    let channel = Channel<Int>(replaying: 2)
    let derived = channel.outlet.map { $0 * 10 }
    for number in 0..<5 { channel.send(number) }
    XCTAssertEqual(channel.subscriberCount, 0, "nobody has subscribed yet")
    let subscription = derived.subscribe()
    let iterator = derived.makeAsyncIterator()
    XCTAssertEqual(channel.subscriberCount, 2)
    channel.send(5)
    channel.finish()
    assertEqual(try await subscription.collect(), [30, 40, 50])
    assertEqual(await iterator.next(), 30)
  }

  func test_C48b_closuresRunOncePerElementAndSubscriberInTheConsumersTask() async throws {
    let channel = Channel<Int>()
    let calls = Record<String>()
    let derived = channel.outlet
      .map { number in
        calls.add("\(Consumer.name) maps \(number)")
        return number
      }
      .filter { number in
        calls.add("\(Consumer.name) filters \(number)")
        return number != 1
      }
    let first = derived.subscribe()
    let second = derived.subscribe()
    for number in 0..<3 { channel.send(number) }
    channel.finish()
    XCTAssertEqual(calls.events, [], "a closure ran before anybody consumed")
    for (name, subscription) in [("a", first), ("b", second)] {
      let received = try await Consumer.$name.withValue(name) { try await subscription.collect() }
      XCTAssertEqual(received, [0, 2])
    }
    XCTAssertEqual(
      calls.events,
      ["a", "b"].flatMap { name in
        (0..<3).flatMap { ["\(name) maps \($0)", "\(name) filters \($0)"] }
      })
  }

  func test_C48b_whatSkipsElementsWaitsForTheNextThatItIsToGive() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.filter { $0.isMultiple(of: 100) }.subscribe()
    let received = Record<Int>()
    let consumer = Task { for await number in subscription { received.add(number) } }
    for number in 1...1_000 {
      if number.isMultiple(of: 10) { try await channel.untilAsleep(1) }
      channel.send(number)
    }
    try await until("all received") { received.count == 10 }
    XCTAssertEqual(received.events, (1...10).map { $0 * 100 })
    consumer.cancel()
  }

  func test_C48b_eachSubscriberRemovesItsOwnDuplicates() async throws {
    let channel = Channel<Int>()
    let distinct = channel.outlet.removeDuplicates()
    let early = distinct.subscribe()
    channel.send(1)
    let late = distinct.subscribe()
    for number in [2, 2, 3, 3] { channel.send(number) }
    channel.finish()
    // By turns, so that what the one was given would be in the other's way.
    let iterators = (early.makeAsyncIterator(), late.makeAsyncIterator())
    var received: ([Int?], [Int?]) = ([], [])
    received.0.append(await iterators.0.next())
    for _ in 0..<3 {
      received.0.append(await iterators.0.next())
      received.1.append(await iterators.1.next())
    }
    XCTAssertEqual(received.0, [1, 2, 3, nil])
    XCTAssertEqual(received.1, [2, 3, nil])
  }

  func test_C48c_thePolicyAppliesBeforeTheClosures() async throws {
    let channel = Channel<Int>(buffering: .bufferingOldest(3))
    let odd = channel.outlet.filter { !$0.isMultiple(of: 2) }
    let asTheChannelSays = odd.subscribe()
    let newest = odd.subscribe(buffering: .bufferingNewest(2))
    for number in 0..<10 { channel.send(number) }
    channel.finish()
    XCTAssertEqual(asTheChannelSays.droppedCount, 7)
    XCTAssertEqual(newest.droppedCount, 8)
    let received = try await (asTheChannelSays.collect(), newest.collect())
    XCTAssertEqual(received.0, [1])
    XCTAssertEqual(received.1, [9])
  }

  func test_C48d_theEndPassesThroughAndIsSticky() async throws {
    let channel = Channel<Int>()
    let iterator = channel.outlet.map { $0 + 1 }.makeAsyncIterator()
    channel.send(1)
    channel.finish()
    assertEqual(await [iterator.next(), iterator.next(), iterator.next()], [2, nil, nil])
    assertEqual(try await channel.outlet.map { $0 + 1 }.collect(), [])
  }

  func test_C48d_theEndWakesWhoeverWaitsAtADerivedOutlet() async throws {
    let channel = Channel<Int>()
    let consumer = Task { await channel.outlet.filter { _ in false }.first { _ in true } }
    try await channel.untilAsleep(1)
    channel.send(1)
    channel.finish()
    let first = try await within { await consumer.value }
    XCTAssertNil(first)
  }

  func test_C48d_cancellingPassesThrough() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.map { $0 }.subscribe()
    let consumer = Task { for await _ in subscription {} }
    try await channel.untilAsleep(1)
    try await consumer.cancelAndWait()
    channel.send(1)
    assertEqual(try await subscription.take(1), [1])
  }

  func test_C48d_cancellingEndsALoopThatIsGivenNothing() async throws {
    let channel = Channel<Int>()
    let seen = Record<Int>()
    let subscription = channel.outlet.filter { number in
      seen.add(number)
      if number == 10 { withUnsafeCurrentTask { $0?.cancel() } }
      return false
    }.subscribe()
    for number in 0..<1_000 { channel.send(number) }
    let consumer = Task { for await _ in subscription {} }
    try await within { await consumer.value }
    XCTAssertLessThanOrEqual(seen.count, 11 + 64)
  }
}

private enum Consumer {
  @TaskLocal static var name = "nobody"
}
