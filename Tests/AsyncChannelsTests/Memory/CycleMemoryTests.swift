import Foundation
import TestSupport
import XCTest

@testable import AsyncChannels

/// C37. The smallest allocation left behind by a cycle would come to 32 bytes of each, where half as much is allowed.
///
/// The cycles run on the test's thread, since only there is it known, without sleeping, that a
/// consumer waits.
final class CycleMemoryTests: XCTestCase {
  private let cycles = Length.isFull ? 100_000 : 10_000

  override func setUpWithError() throws { try Resident.skipUnderSanitizers() }

  func test_C37_subscribingWaitingCancellingAndDroppingLeavesNothing() throws {
    let policies: [BufferingPolicy] = [.unbounded, .bufferingNewest(8)]
    try expectNoGrowth { channel, number in
      channel.outlet.subscribe(buffering: policies[number % 2])
    }
  }

  func test_C37_cancellingTheConsumersOfOneSubscriptionLeavesNothing() throws {
    var kept: Subscription<Int>?
    try expectNoGrowth { channel, _ in
      let subscription = kept ?? channel.outlet.subscribe()
      kept = subscription
      return subscription
    }
  }

  func test_C37_cyclesOfDerivedOutletsLeaveNothing() throws {
    try expectNoGrowth { channel, _ in channel.outlet.map { $0 }.filter { $0 > 0 }.subscribe() }
  }

  private func expectNoGrowth(
    line: UInt = #line, subscribe: (Channel<Int>, Int) -> Subscription<Int>
  ) throws {
    let channel = Channel<Int>()
    let executor = ManualTaskExecutor()
    var waits = 0
    func run(_ count: Int) {
      for number in 0..<count {
        let task = subscribe(channel, number).sleeping(on: executor)
        waits += channel.log.sleeperCount == 1 ? 1 : 0
        task.cancel()
        executor.drain()
      }
    }
    run(cycles / 10)
    let before = Resident.held
    run(cycles)
    let grown = Resident.held - before
    XCTAssertEqual(waits, cycles / 10 + cycles, "consumers that waited", line: line)
    XCTAssertLessThanOrEqual(grown, cycles * 16, "bytes after \(cycles) cycles", line: line)
    XCTAssertLessThanOrEqual(channel.subscriberCount, 1)
  }
}
