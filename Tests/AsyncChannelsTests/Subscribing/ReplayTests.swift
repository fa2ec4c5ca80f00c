import AsyncChannels
import Synchronization
import TestSupport
import XCTest

/// C9.
final class ReplayTests: XCTestCase {
  func test_C9_aNewSubscriberGetsTheLastElementsThenTheLiveOnes() async throws {
    for window in [1, 2, 63, 64, 65, 130] {
      for sent in [0, 1, window - 1, window, window + 1, 2 * window + 3] {
        let channel = Channel<Int>(replaying: window)
        // Half of the cases with a reader, who makes the log store what is sent.
        let reader = sent.isMultiple(of: 2) ? channel.outlet.subscribe() : nil
        for number in 0..<sent { channel.send(number) }
        let expected = Array(max(0, sent - window)..<sent + 66)
        let consumers =
          BufferingPolicy.roomy(for: expected.count).map { channel.outlet.subscribe(buffering: $0) }
          + [channel.outlet.map { $0 }.subscribe()]
        for number in sent..<sent + 66 { channel.send(number) }
        channel.finish()
        for consumer in consumers {
          assertEqual(try await consumer.collect(), expected, "window \(window), \(sent) sent")
          XCTAssertEqual(consumer.droppedCount, 0)
        }
        withExtendedLifetime(reader) {}
      }
    }
  }

  func test_C9_replayedElementsAreReadBeforeLiveOnesEvenIfTheConsumerSleptBetween() async throws {
    let channel = Channel<Int>(replaying: 3)
    for number in 0..<5 { channel.send(number) }
    let consumers = (0..<4).map { _ in channel.outlet.collecting() }
    try await channel.untilAsleep(4)
    channel.send(5)
    try await channel.untilAsleep(4)
    for number in 6..<200 { channel.send(number) }
    channel.finish()
    for consumer in consumers {
      assertEqual(try await consumer.value, Array(2..<200))
    }
  }

  func test_C9_aNewSubscriberThatFindsAnEmptyWindowSleepsAndWakes() async throws {
    let channel = Channel<Int>(replaying: 3)
    let consumers = BufferingPolicy.roomy(for: 10).map { channel.outlet.collecting(buffering: $0) }
    try await channel.untilAsleep(3)
    for number in 0..<10 { channel.send(number) }
    channel.finish()
    for consumer in consumers {
      assertEqual(try await consumer.value, Array(0..<10))
    }
  }

  /// How many were sent, at least and at most: what a joiner can know of a running sender.
  private final class Progress: Sendable {
    let begun = Atomic(0)
    let done = Atomic(0)
  }

  func test_C9_joiningWhileOneSendsFindsAFullWindowAndNoSeam() async throws {
    for window in [1, 64, 200] {
      let channel = Channel<Int>(replaying: window)
      let progress = Progress()
      let sender = Task {
        for number in 0..<4000 {
          progress.begun.store(number + 1, ordering: .sequentiallyConsistent)
          channel.send(number)
          progress.done.store(number + 1, ordering: .sequentiallyConsistent)
          if number.isMultiple(of: 100) { await Task.yield() }
        }
      }
      let joiners = try await concurrently(2) { joiner in
        var joiners: [(earliest: Int, latest: Int, Task<[Int], any Error>)] = []
        for round in 0..<Length.rounds(200) {
          let policy: BufferingPolicy = round % 3 == joiner ? .bufferingOldest(5000) : .unbounded
          let earliest = progress.done.load(ordering: .sequentiallyConsistent) - window
          let joined = channel.outlet.collecting(buffering: policy)
          let latest = progress.begun.load(ordering: .sequentiallyConsistent) - window
          joiners.append((max(0, earliest), max(0, latest), joined))
          await giveWay(round % 3)
        }
        return joiners
      }
      try await sender.result(within: .seconds(60))
      channel.finish()
      for (earliest, latest, joiner) in joiners.joined() {
        let received = try await joiner.value
        let first = received.first ?? 4000
        XCTAssertGreaterThanOrEqual(first, earliest)
        XCTAssertLessThanOrEqual(first, latest)
        XCTAssertEqual(received, Array(first..<4000))
      }
    }
  }

  func test_C9_joiningWhileManySendFindsTheSameSequenceAsEverybodyElse() async throws {
    let channel = Channel<Stamp>(replaying: 20)
    let steady = channel.outlet.collecting()
    let joiners = try await concurrently(5) { number -> [Task<[Stamp], any Error>] in
      if number < 3 {
        channel.inlet.send(1500, from: number)
        return []
      }
      var joiners: [Task<[Stamp], any Error>] = []
      for round in 0..<40 {
        joiners.append(channel.outlet.collecting())
        await giveWay(round % 4)
      }
      return joiners
    }
    channel.finish()
    let all = try await steady.value
    XCTAssertEqual(all.count, 4500)
    for joiner in joiners.joined() {
      let received = try await joiner.value
      XCTAssertEqual(received, all.suffix(received.count))
      XCTAssertGreaterThanOrEqual(received.count, 20)
    }
  }

  func test_C9_whatIsNotToBeReplayedReachesThoseWhoListenAndLeavesTheWindowAlone() async throws {
    let channel = Channel<Int>(replaying: 2)
    let early = channel.outlet.subscribe()
    for number in 0..<3 { channel.send(number) }
    XCTAssertEqual(channel.send(100, replayed: false), .sent(subscribers: 1))
    let middle = channel.outlet.subscribe()
    channel.send(3)
    channel.send(101, replayed: false)
    let late = channel.outlet.subscribe()
    channel.finish()
    let received = try await (early.collect(), middle.collect(), late.collect())
    XCTAssertEqual(received.0, [0, 1, 2, 100, 3, 101])
    XCTAssertEqual(received.1, [1, 2, 3, 101])
    XCTAssertEqual(received.2, [2, 3])
  }

  func test_C9_replayedElementsAreReleasedAsTheyAreTakenAndWhenTheWindowMovesOn() async throws {
    let census = Census()
    let channel = Channel<Tracked>(replaying: 3)
    for number in 0..<3 { channel.send(Tracked(number, in: census)) }
    let subscription = channel.outlet.subscribe()
    for number in 3..<6 { channel.send(Tracked(number, in: census)) }
    XCTAssertEqual(census.count, 6)
    assertEqual(try await subscription.take(3).map(\.number), [0, 1, 2])
    XCTAssertEqual(census.count, 3)
    assertEqual(try await subscription.take(3).map(\.number), [3, 4, 5])
    XCTAssertEqual(census.count, 3)  // the window's
  }
}
