import AsyncChannelsTesting
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// What else has to run on an actor, beside a consumer that always finds an element.
@MainActor
final class SharingAnActorTests: XCTestCase {
  func test_C90_anObserverLetsOthersRunAfter64Elements() async throws {
    for canSuspend in [false, true] {
      let numbers = Channel<Int>()
      let seen = Seen()
      let token =
        canSuspend
        ? numbers.outlet.observe { _ in await seen.noteLater() }
        : numbers.outlet.observe { _ in seen.note() }
      for number in 0..<1_000 { numbers.send(number) }
      let button = Task { @MainActor in seen.count }
      let seenByTheButton = await button.value
      XCTAssertLessThanOrEqual(seenByTheButton, 2 * 64)
      await numbers.outlet.waitUntilSettled()
      XCTAssertEqual(seen.count, 1_000)
      token.cancel()
    }
  }

  func test_C90_anObserverWithSlowCallsLetsOthersRunAfterAMillisecondOfThem() async throws {
    for canSuspend in [false, true] {
      let numbers = Channel<Int>()
      let seen = Seen()
      let token =
        canSuspend
        ? numbers.outlet.observe { _ in
          await seen.noteLater()
          self.compute(forMicroseconds: 400)
        }
        : numbers.outlet.observe { _ in
          seen.note()
          self.compute(forMicroseconds: 400)
        }
      for number in 0..<60 { numbers.send(number) }
      let button = Task { @MainActor in seen.count }
      let seenByTheButton = await button.value
      XCTAssertLessThanOrEqual(seenByTheButton, 2 * 3)
      token.cancel()
    }
  }

  func test_C90_aLoopOverABacklogLetsOthersRun() async throws {
    let numbers = Channel<Int>()
    let subscription = numbers.outlet.subscribe()
    for number in 0..<2_000 { numbers.send(number) }
    numbers.finish()
    var seen = 0
    var seenByTheButton: Int?
    let loop = Task { @MainActor in
      for await _ in subscription {
        seen += 1
        self.compute(forMicroseconds: 20)
      }
    }
    let button = Task { @MainActor in seenByTheButton = seen }
    try await within(.seconds(30)) { await loop.value }
    await button.value
    XCTAssertEqual(seen, 2_000)
    XCTAssertLessThan(try XCTUnwrap(seenByTheButton), 1_000)
  }

  /// A sender that is faster than the loop replaces the newest element while the loop works on the last.
  func test_C90_aLoopThatAlwaysFindsTheNewestLetsOthersRun() async throws {
    let numbers = Channel<Int>()
    let subscription = numbers.outlet.subscribe(buffering: .bufferingNewest(1))
    numbers.send(0)
    var isStopped = false
    let loop = Task { @MainActor in
      for await number in subscription {
        if isStopped || number == 100_000 { return number }
        self.compute(forMicroseconds: 20)
        numbers.send(number + 1)
      }
      return -1
    }
    let button = Task { @MainActor in isStopped = true }
    let last = try await within(.seconds(30)) { await loop.value }
    await button.value
    XCTAssertLessThan(last, 100_000)
  }

  func test_C90_aLoopOverADerivedOutletLetsOthersRun() async throws {
    for skipsAll in [false, true] {
      let numbers = Channel<Int>()
      let subscription = numbers.outlet.filter { number in
        // Whether it is skipped or not, there is a next one.
        if number < 1_000_000 { numbers.send(number + 1) }
        return !skipsAll
      }.subscribe()
      numbers.send(0)
      let loop = Task { @MainActor in
        for await _ in subscription where Task.isCancelled { return }
      }
      // It begins after the loop, and has its turn.
      let button = Task { @MainActor in
        loop.cancel()
        return subscription.pendingCount
      }
      let pending = try await within(.seconds(30)) { await button.value }
      XCTAssertEqual(pending, 1, "the loop has come to its end")
      try await within(.seconds(30)) { await loop.value }
    }
  }

  func test_C90_aBudgetIs64StepsOrAMillisecond() async {
    var budget = LoopBudget()
    XCTAssertFalse(budget.isUsedUp())
    compute(forMicroseconds: 1_500)
    XCTAssertTrue(budget.isUsedUp())
    await budget.pause()
    XCTAssertFalse(budget.isUsedUp())
    var slow = LoopBudget()
    CurrentThread.inTestTime {
      for _ in 0..<64 { XCTAssertFalse(slow.isUsedUp()) }
      compute(forMicroseconds: 1_500)
      XCTAssertTrue(slow.isUsedUp(), "for its steps")
    }
    CurrentThread.inTestTime {
      var slow = LoopBudget()
      XCTAssertFalse(slow.isUsedUp())
      compute(forMicroseconds: 1_500)
      XCTAssertFalse(slow.isUsedUp(), "time does not count")
    }
  }

  private func compute(forMicroseconds time: UInt64) {
    let end = CurrentThread.uptime + time * 1_000
    while CurrentThread.uptime < end {}
  }
}

@MainActor
private final class Seen {
  private(set) var count = 0

  func note() { count += 1 }

  /// Does not suspend its caller.
  func noteLater() async { count += 1 }
}
