import Dispatch
import Foundation
import TestSupport
import XCTest

@testable import AsyncChannels

/// Who rings sleepers while no thread of the pool is free.
final class WakingTests: XCTestCase {
  func test_C92_aCrowdIsRungByTheSenderAndByThoseThatHaveWoken() async throws {
    let channel = Channel<Int>()
    let executor = ManualTaskExecutor()
    let heard = Record<Int>()
    let tasks = (0..<100).map { fallAsleep($0, in: channel, on: executor, heard) }
    whileThePoolIsBusy {
      channel.send(0)
      XCTAssertGreaterThanOrEqual(executor.jobCount, 16)
      // Each of those that wake rings some of the others, on this thread.
      executor.drain()
      XCTAssertEqual(heard.events.count, 100)
    }
    XCTAssertEqual(heard.events, Array(0..<100))
    for task in tasks { try await within { await task.value } }
  }

  func test_C92_aLaterSendRingsWhatTheActorHasNotRung() async throws {
    let channel = Channel<Int>()
    let executor = ManualTaskExecutor()
    let heard = Record<Int>()
    let tasks = (0..<40).map { fallAsleep($0, in: channel, on: executor, heard) }
    let later = (0..<3).map { _ in ManualTaskExecutor() }
    whileThePoolIsBusy {
      channel.send(0)
      // Nobody has run who could help: only senders ring, those before their own.
      for (number, executor) in later.enumerated() {
        _ = fallAsleep(40 + number, in: channel, on: executor, heard)
        channel.send(number)
      }
      XCTAssertEqual(([executor] + later).map(\.jobCount), [40, 1, 1, 1])
      for executor in [executor] + later { executor.drain() }
    }
    XCTAssertEqual(heard.events, Array(0...42))
    for task in tasks { try await within { await task.value } }
  }

  func test_C92_whatNobodyHelpsWithTheActorRings() async throws {
    let channel = Channel<Int>()
    let executor = ManualTaskExecutor()
    let heard = Record<Int>()
    let tasks = (0..<1_000).map { fallAsleep($0, in: channel, on: executor, heard) }
    channel.send(0)
    try await until("all rung") { executor.jobCount == 1_000 }
    executor.drain()
    XCTAssertEqual(heard.events, Array(0..<1_000))
    for task in tasks { try await within { await task.value } }
  }

  func test_C92_dueSleepersHaveOneRingerAtATimeAndTellTheActorOnce() {
    var due = DueSleepers()
    XCTAssertNil(due.begin())
    XCTAssertFalse(due.mustTellActor())
    due.sleepers.append(sleepers(20))
    XCTAssertTrue(due.mustTellActor())
    XCTAssertFalse(due.mustTellActor(), "it is told")
    XCTAssertEqual(due.begin()?.count, 16)
    XCTAssertNil(due.begin(), "another rings")
    XCTAssertTrue(due.isWaitedFor)
    // The actor finds that another rings, and ends.
    due.actorIsTold = false
    XCTAssertNil(due.begin())
    due.isBeingRung = false
    XCTAssertTrue(due.mustTellActor(), "some are left")
    due.actorIsTold = false
    XCTAssertEqual(due.begin()?.count, 4)
    XCTAssertTrue(due.isWaitedFor, "they are being rung")
    due.isBeingRung = false
    XCTAssertFalse(due.isWaitedFor)
    XCTAssertFalse(due.mustTellActor())
  }

  private func sleepers(_ count: Int) -> Sleepers {
    var sleepers = Sleepers()
    for _ in 0..<count { sleepers.append(Doorbell(ofSubscriber: true)) }
    return sleepers
  }

  private func fallAsleep(
    _ number: Int, in channel: Channel<Int>, on executor: ManualTaskExecutor, _ heard: Record<Int>
  ) -> Task<Void, Never> {
    let subscription = channel.outlet.subscribe()
    let task = Task(executorPreference: executor) {
      _ = await subscription.makeAsyncIterator().next()
      heard.add(number)
    }
    executor.drain()
    return task
  }
}

/// Each thread of the pool is blocked while the body runs, as long as there are no more than cores.
private func whileThePoolIsBusy(_ body: () -> Void) {
  let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  let count = ProcessInfo.processInfo.activeProcessorCount
  for _ in 0..<count { block(hasBegun, mayEnd) }
  // One of the pool's threads may run this test.
  for _ in 1..<count { _ = hasBegun.wait(timeout: .now() + 5) }
  body()
  for _ in 0..<count { mayEnd.signal() }
}

private func block(_ hasBegun: DispatchSemaphore, _ mayEnd: DispatchSemaphore) {
  Task.detached(priority: .medium) {
    await withCheckedContinuation { continuation in
      hasBegun.signal()
      _ = mayEnd.wait(timeout: .now() + 10)
      continuation.resume()
    }
  }
}
