import Dispatch
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// Who rings sleepers while no thread is free for the channel's actor.
final class WakingTests: XCTestCase {
  func test_C92_aCrowdIsRungByTheSenderAndByThoseThatHaveWoken() {
    let channel = Channel<Int>()
    let executor = ManualTaskExecutor()
    let heard = Record<Int>()
    for number in 0..<100 { fallAsleep(number, in: channel, on: executor, heard) }
    whileTheActorCannotRun(of: channel) {
      channel.send(0)
      XCTAssertGreaterThanOrEqual(executor.jobCount, 16)
      // Each of those that wake rings some of the others, on this thread.
      executor.drain()
      XCTAssertEqual(heard.events.count, 100)
    }
    XCTAssertEqual(heard.events, Array(0..<100))
  }

  func test_C92_aLaterSendRingsWhatTheActorHasNotRung() {
    let channel = Channel<Int>()
    let executor = ManualTaskExecutor()
    let heard = Record<Int>()
    for number in 0..<40 { fallAsleep(number, in: channel, on: executor, heard) }
    let later = (0..<3).map { _ in ManualTaskExecutor() }
    whileTheActorCannotRun(of: channel) {
      channel.send(0)
      // Nobody has run who could help: only senders ring, those before their own.
      for (number, executor) in later.enumerated() {
        fallAsleep(40 + number, in: channel, on: executor, heard)
        channel.send(number)
      }
      XCTAssertEqual(([executor] + later).map(\.jobCount), [40, 1, 1, 1])
      for executor in [executor] + later { executor.drain() }
    }
    XCTAssertEqual(heard.events, Array(0...42))
  }

  func test_C92_whatNobodyHelpsWithTheActorRings() async throws {
    let channel = Channel<Int>()
    let executor = ManualTaskExecutor()
    let heard = Record<Int>()
    for number in 0..<1_000 { fallAsleep(number, in: channel, on: executor, heard) }
    channel.send(0)
    try await until("all rung") { executor.jobCount == 1_000 }
    executor.drain()
    XCTAssertEqual(heard.events, Array(0..<1_000))
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
  ) {
    let subscription = channel.outlet.subscribe()
    Task(executorPreference: executor) {
      _ = await subscription.makeAsyncIterator().next()
      heard.add(number)
    }
    executor.drain()
  }
}

/// The channel's actor is occupied while the body runs, as if no thread of the pool were free for it.
private func whileTheActorCannotRun(of channel: Channel<Int>, _ body: () -> Void) {
  let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  let ringer = channel.log.state.withLock { $0.ringer }
  Task.detached {
    await ringer.ring { _ in
      hasBegun.signal()
      mayEnd.wait()
      return nil
    }
  }
  hasBegun.wait()
  body()
  mayEnd.signal()
}
