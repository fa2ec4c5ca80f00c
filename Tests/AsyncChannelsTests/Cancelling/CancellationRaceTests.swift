import TestSupport
import XCTest

@testable import AsyncChannels

/// C30.
final class CancellationRaceTests: XCTestCase {
  /// How a subscription to the racing channel is made.
  private typealias Subscribe = @Sendable (Outlet<Int>) -> Subscription<Int>

  private let kinds: [Subscribe] = [
    { $0.subscribe() },
    { $0.subscribe(buffering: .bufferingNewest(100)) },
    { $0.subscribe(buffering: .bufferingOldest(100)) },
    { $0.map { $0 }.subscribe() },
  ]

  /// The next consumer continues exactly where the cancelled one stopped, and ends at the end only.
  func test_C30_cancellingWhileOthersSendLosesNothingAndRepeatsNothing() async throws {
    for round in 0..<Length.rounds(2_000) {
      let channel = Channel<Int>(replaying: round % 2)
      let subscription = kinds[round % 4](channel.outlet)
      let steady = channel.outlet.collecting()
      let first = subscription.consuming()
      if round.isMultiple(of: 3) { try await channel.untilAsleep(2) }
      _ = try await concurrently(2) { number in
        if number == 0 {
          await giveWay(round % 7)
          first.cancel()
        } else {
          for number in 0..<20 {
            channel.send(number)
            if number % 5 == round % 5 { await Task.yield() }
          }
        }
      }
      let taken = try await first.result()
      let next = subscription.consuming()
      await giveWay(round % 4)
      for number in 20..<25 { channel.send(number) }
      channel.finish()
      let rest = try await next.result()
      XCTAssertEqual(taken + rest, Array(0..<25), "round \(round)")
      assertEqual(try await steady.value, Array(0..<25), "round \(round)")
    }
  }

  func test_C30_cancellingWhileItFinishesEndsEverybody() async throws {
    for round in 0..<Length.rounds(1_500) {
      let channel = Channel<Int>(replaying: round % 2)
      let subscriptions = (0..<4).map { kinds[($0 + round) % 4](channel.outlet) }
      let loops = subscriptions.map { $0.consuming() }
      if round.isMultiple(of: 2) { try await channel.untilAsleep(4) }
      _ = try await concurrently(3) { number in
        await giveWay((round + number) % 6)
        switch number {
        case 0: channel.finish()
        case 1: loops[0].cancel()
        default: loops[1].cancel()
        }
        return
      }
      for loop in loops {
        assertEqual(try await loop.result(), [])
      }
    }
  }

  /// Six sleepers are rung by the actor, two by the sender: both ways race with the cancelling.
  func test_C30_whoIsNotCancelledIsRungWhateverHappensToItsNeighbours() async throws {
    for round in 0..<Length.rounds(1_500) {
      let channel = Channel<Int>()
      let count = round.isMultiple(of: 2) ? 6 : 2
      let loops = (0..<count).map { kinds[$0 % 4](channel.outlet).consuming() }
      try await channel.untilAsleep(count)
      _ = try await concurrently(2) { number in
        if number == 0 {
          for index in stride(from: 0, to: count, by: 2) {
            loops[index].cancel()
            await giveWay(round % 3)
          }
        } else {
          await giveWay(round % 5)
          for number in 0..<10 { channel.send(number) }
        }
      }
      // Still waiting, all of them, with everything taken: nobody's ring was lost.
      try await until("the others sleep again") { channel.subscriberCount == count / 2 }
      try await channel.untilAsleep(count / 2)
      channel.finish()
      for (index, loop) in loops.enumerated() {
        let received = try await loop.result()
        if index.isMultiple(of: 2) {
          XCTAssertEqual(received, Array(0..<received.count))
        } else {
          XCTAssertEqual(received, Array(0..<10))
        }
      }
    }
  }

  /// Cancelling, taking over, cancelling again, under a sender that never pauses for long.
  func test_C30_aSubscriptionPassedFromOneCancelledTaskToTheNextLosesNothing() async throws {
    for kind in kinds {
      let channel = Channel<Int>()
      let subscription = channel.outlet.subscribe()
      let bystander = kind(channel.outlet)
      let watched = channel.outlet.collecting()
      let sender = Task {
        for number in 0..<3000 {
          channel.send(number)
          if number % 20 == 0 { await Task.yield() }
        }
      }
      var taken: [Int] = []
      for round in 0..<200 {
        let loop = subscription.consuming()
        await giveWay(round % 6)
        loop.cancel()
        taken += try await loop.result()
      }
      try await sender.result()
      channel.finish()
      taken += try await subscription.collect()
      XCTAssertEqual(taken, Array(0..<3000))
      assertEqual(try await watched.value, Array(0..<3000))
      let stuck = try await bystander.collect()
      XCTAssertEqual(stuck.count + bystander.droppedCount, 3000)
    }
  }

  /// As above, but nobody waits until the cancelled one has ended (C31).
  func test_C30_aSubscriptionTakenOverBeforeTheCancelledTaskHasEndedLosesNothing() async throws {
    for round in 0..<100 {
      let channel = Channel<Int>(replaying: round % 2)
      channel.send(0)
      let subscription = kinds[round % 4](channel.outlet)
      let sender = Task {
        for number in 1..<50 {
          channel.send(number)
          if number % 3 == round % 3 { await Task.yield() }
        }
      }
      var loops: [Task<[Int], Never>] = []
      for turn in 0..<30 {
        let loop = subscription.consuming()
        loops.append(loop)
        await giveWay((turn + round) % 4)
        loop.cancel()
      }
      try await sender.result()
      channel.finish()
      var taken: [Int] = []
      for loop in loops { taken += try await loop.result() }
      taken += try await subscription.collect()
      XCTAssertEqual(taken, Array(1 - round % 2..<50))
    }
  }

  func test_C30_cancellingRacesWithDroppingTheChannelAndTheElements() async throws {
    for round in 0..<Length.rounds(1_500) {
      let census = Census()
      var channel: Channel<Tracked>? = Channel(replaying: round % 3)
      let loops = try (0..<3).map { index in
        let outlet = try XCTUnwrap(channel?.outlet)
        let policy: BufferingPolicy = index == 0 ? .bufferingNewest(2) : .unbounded
        return outlet.map(\.number).subscribe(buffering: policy).consuming()
      }
      let canceller = Task {
        await giveWay(round % 5)
        loops[0].cancel()
        loops[1].cancel()
      }
      for number in 0..<5 { channel?.send(Tracked(number, in: census)) }
      await giveWay(round % 4)
      channel = nil
      try await canceller.result()
      for loop in loops.dropLast() { _ = try await loop.result() }
      assertEqual(try await loops[2].result(), Array(0..<5))
      try await until("every element is gone") { census.count == 0 }
      withExtendedLifetime(channel) {}
    }
  }
}
