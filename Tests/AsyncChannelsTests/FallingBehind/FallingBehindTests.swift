import AsyncChannels
import XCTest

/// Policies and what they count (C14, C15).
final class FallingBehindTests: XCTestCase {
  private let limits = [1, 2, 3, 63, 64, 65]

  func test_C14_C15_aBoundedSubscriberFindsItsEndAndCountsExactlyWhatItMissed() async throws {
    for limit in limits {
      for sent in [0, 1, limit - 1, limit, limit + 1, 3 * limit + 2] {
        let all = 0..<sent
        try await check(.bufferingNewest(limit), limit, sent, finds: Array(all.suffix(limit)))
        try await check(.bufferingOldest(limit), limit, sent, finds: Array(all.prefix(limit)))
      }
    }
  }

  private func check(
    _ policy: BufferingPolicy, _ limit: Int, _ sent: Int, finds expected: [Int]
  ) async throws {
    let channel = Channel<Int>(buffering: policy)
    let byDefault = channel.outlet.subscribe()
    let byName = channel.outlet.map { $0 }.subscribe(buffering: policy)
    let unbounded = channel.outlet.subscribe(buffering: .unbounded)
    for number in 0..<sent {
      channel.send(number)
      XCTAssertEqual(byDefault.droppedCount, max(0, number + 1 - limit))
    }
    channel.finish()
    for subscription in [byDefault, byName] {
      assertEqual(try await subscription.collect(), expected, "\(policy)")
      XCTAssertEqual(subscription.droppedCount, max(0, sent - limit))
    }
    assertEqual(try await unbounded.collect().count, sent)
    XCTAssertEqual(unbounded.droppedCount, 0)
  }

  func test_C14_takingMakesRoomAndNothingIsCountedTwice() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.subscribe(buffering: .bufferingNewest(3))
    for number in 0..<5 { channel.send(number) }  // drops 0 and 1
    assertEqual(try await subscription.take(2), [2, 3])
    for number in 5..<7 { channel.send(number) }  // there is room for both
    XCTAssertEqual(subscription.droppedCount, 2)
    channel.send(7)  // drops 4
    channel.finish()
    assertEqual(try await subscription.collect(), [5, 6, 7])
    XCTAssertEqual(subscription.droppedCount, 3)
  }

  func test_C15_laterElementsAreDroppedUntilThereIsRoom() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.subscribe(buffering: .bufferingOldest(3))
    for number in 0..<5 { channel.send(number) }  // drops 3 and 4
    assertEqual(try await subscription.take(2), [0, 1])
    for number in 5..<9 { channel.send(number) }  // room for 5 and 6; drops 7 and 8
    channel.finish()
    assertEqual(try await subscription.collect(), [2, 5, 6])
    XCTAssertEqual(subscription.droppedCount, 4)
  }

  func test_C14_C15_whatLiveConsumersGotAndWhatTheyMissedAddUpToWhatWasSent() async throws {
    let policies: [BufferingPolicy] = [
      .bufferingNewest(1), .bufferingOldest(1), .bufferingNewest(7), .bufferingOldest(7),
    ]
    let channel = Channel<Stamp>()
    let reference = channel.outlet.collecting()
    let subscriptions = policies.map { channel.outlet.subscribe(buffering: $0) }
    let consumers = subscriptions.map { subscription in
      Task {
        var received: [Stamp] = []
        for await stamp in subscription {
          received.append(stamp)
          await giveWay(received.count % 4)
        }
        return received
      }
    }
    _ = try await concurrently(3) { sender in
      for number in 0..<1000 {
        channel.send(Stamp(sender: sender, number: number))
        if number % 20 == 0 { await Task.yield() }
      }
    }
    channel.finish()
    let all = try await reference.value
    for (subscription, consumer) in zip(subscriptions, consumers) {
      let received = try await consumer.result()
      XCTAssertEqual(received.count + subscription.droppedCount, 3000)
      // What it got is the one sequence with gaps: in order, and nothing twice.
      var remaining = all[...]
      for stamp in received {
        guard let index = remaining.firstIndex(of: stamp) else {
          return XCTFail("\(stamp) came twice or out of order")
        }
        remaining = remaining[(index + 1)...]
      }
    }
    let newest = await consumers[2].value
    XCTAssertEqual(newest.last, all.last)
  }

  /// Its consumer, its sender and nobody else run here: while it sends, the consumer does not run.
  private actor Stage {
    private let subscription: Subscription<Int>
    private(set) var received: [Int] = []

    init(_ subscription: Subscription<Int>) {
      self.subscription = subscription
    }

    func consume() async {
      for await number in subscription { received.append(number) }
    }

    func sendInOneStep(_ numbers: Range<Int>, to channel: Channel<Int>) {
      for number in numbers { channel.send(number) }
    }
  }

  func test_C15_nothingIsHandedToAWaiterBeforeItRuns() async throws {
    let cases: [(BufferingPolicy, found: [Int])] = [
      (.bufferingNewest(1), [4, 9]), (.bufferingOldest(1), [0, 5]),
      (.bufferingNewest(2), [3, 4, 8, 9]), (.bufferingOldest(2), [0, 1, 5, 6]),
    ]
    for (policy, found) in cases {
      let channel = Channel<Int>()
      let subscription = channel.outlet.subscribe(buffering: policy)
      let stage = Stage(subscription)
      let consumer = Task { await stage.consume() }
      for numbers in [0..<5, 5..<10] {
        try await channel.untilAsleep(1)
        await stage.sendInOneStep(numbers, to: channel)
      }
      channel.finish()
      try await consumer.result()
      assertEqual(await stage.received, found, "\(policy)")
      XCTAssertEqual(subscription.droppedCount, 10 - found.count, "\(policy)")
    }
  }

  func test_C15_replayedElementsPassThePolicyAndCountWhenDropped() async throws {
    let channel = Channel<Int>(replaying: 5)
    for number in 0..<8 { channel.send(number) }
    let cases: [(BufferingPolicy, found: [Int], dropped: Int)] = [
      (.bufferingNewest(2), [8, 9], 5), (.bufferingOldest(2), [3, 4], 5),
      (.bufferingNewest(6), [4, 5, 6, 7, 8, 9], 1), (.bufferingOldest(6), [3, 4, 5, 6, 7, 8], 1),
      (.bufferingNewest(7), [3, 4, 5, 6, 7, 8, 9], 0), (.unbounded, [3, 4, 5, 6, 7, 8, 9], 0),
    ]
    let subscriptions = cases.map { channel.outlet.subscribe(buffering: $0.0) }
    XCTAssertEqual(subscriptions.map(\.droppedCount), [3, 3, 0, 0, 0, 0])
    channel.send(8)
    channel.send(9)
    channel.finish()
    for (subscription, (policy, found, dropped)) in zip(subscriptions, cases) {
      assertEqual(try await subscription.collect(), found, "\(policy)")
      XCTAssertEqual(subscription.droppedCount, dropped, "\(policy)")
    }
  }
}
