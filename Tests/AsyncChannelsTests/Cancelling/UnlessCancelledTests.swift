import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// C28: what a cancelled task leaves to the next one.
final class UnlessCancelledTests: XCTestCase {
  private let policies: [BufferingPolicy] = [
    .unbounded, .bufferingNewest(1), .bufferingNewest(8), .bufferingOldest(8),
  ]

  func test_C28_aCancelledTaskThatKeepsItsIteratorTakesNothingThatIsThere() async throws {
    for policy in policies {
      let channel = Channel<Int>(replaying: 1)
      channel.send(0)
      let subscription = channel.outlet.subscribe(buffering: policy)
      try await Task {
        let iterator = subscription.makeAsyncIterator()
        assertEqual(await iterator.nextUnlessCancelled(), 0)
        channel.send(1)
        cancelThisTask()
        for _ in 0..<2 {
          let nothing = await iterator.nextUnlessCancelled()
          XCTAssertNil(nothing, "\(policy)")
          let nothingEither = await subscription.next()
          XCTAssertNil(nothingEither, "\(policy)")
        }
      }.result()
      channel.finish()
      assertEqual(try await subscription.collect(), [1], "\(policy)")
    }
  }

  /// With what it takes without a lock, too.
  func test_C28_aLoopOverADerivedSubscriptionTakesNothingThatWasSentAfterTheCancel() async throws {
    for policy in policies {
      let channel = Channel<Int>()
      let (one, two) = (CurrentValue(0), CurrentValue(0))
      let inputs: [(Subscription<Int>, send: @Sendable (Int) -> Void, finish: () -> Void)] = [
        (
          channel.outlet.map { $0 }.subscribe(buffering: policy), { channel.send($0) },
          { channel.finish() }
        ),
        (
          StateOutlet.combine(one.outlet, two.outlet).map { $0 + $1 }.subscribe(buffering: policy),
          { one.value = $0 },
          {
            one.finish()
            two.finish()
          }
        ),
      ]
      channel.send(0)
      for (subscription, send, finish) in inputs {
        try await Task {
          let iterator = subscription.makeAsyncIterator()
          assertEqual(await iterator.next(), 0)
          cancelThisTask()
          send(1)
          let nothing = await iterator.next()
          XCTAssertNil(nothing, "\(policy)")
        }.result()
        finish()
        assertEqual(try await subscription.collect(), [1], "\(policy)")
      }
    }
  }

  func test_C28_itGivesWhatNextGivesToATaskThatIsNotCancelled() async throws {
    for policy in policies {
      let channel = Channel<Int>(replaying: 3)
      for number in 0..<3 { channel.send(number) }
      let subscriptions = [channel.outlet, channel.outlet.map { $0 }].map {
        $0.subscribe(buffering: policy)
      }
      let plain = channel.outlet.subscribe(buffering: policy)
      for number in 3..<200 { channel.send(number) }
      channel.finish()
      let expected = try await plain.collect()
      for subscription in subscriptions {
        let iterator = subscription.makeAsyncIterator()
        var taken: [Int] = []
        while let number = await iterator.nextUnlessCancelled() { taken.append(number) }
        XCTAssertEqual(taken, expected, "\(policy)")
      }
    }
  }

  /// A consumer that never pauses is cancelled in the midst of taking.
  func test_C28_nothingIsTakenThatWasSentAfterCancelReturned() async throws {
    for round in 0..<Length.rounds(2_000) {
      let channel = Channel<Int>()
      let subscription = channel.outlet.subscribe(buffering: policies[round % 4])
      let isTaking = Atomic(false)
      let ofIterator = round % 8 < 4
      let consumer = Task.detached {
        let iterator = subscription.makeAsyncIterator()
        var last: Int?
        while let number = ofIterator
          ? await iterator.nextUnlessCancelled() : await subscription.next()
        {
          isTaking.store(true, ordering: .relaxed)
          last = number
        }
        return last
      }
      // On one thread, so that nothing but a few steps is between cancelling and sending.
      try await onThreads(1) { _ in
        var number = 0
        while !isTaking.load(ordering: .relaxed) {
          channel.send(number)
          number += 1
        }
        for _ in 0..<(round % 50) {
          channel.send(number)
          number += 1
        }
        consumer.cancel()
        channel.send(-1)
        channel.finish()
      }
      let last = try await consumer.result()
      XCTAssertNotEqual(last, -1, "round \(round)")
      let rest = try await subscription.collect()
      if policies[round % 4] != .bufferingOldest(8) {
        XCTAssertEqual(rest.last, -1, "round \(round)")
      }
    }
  }
}
