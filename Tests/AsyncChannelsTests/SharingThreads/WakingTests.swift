import Dispatch
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// Who rings sleepers: the sender the first ones, the channel's actor the others.
final class WakingTests: XCTestCase {
  func test_C92_aSenderRingsSixteenAndLeavesTheOthersToTheActor() async throws {
    let channel = Channel<Int>()
    let executor = ManualTaskExecutor()
    let heard = Record<Int>()
    for number in 0..<100 { fallAsleep(number, in: channel, on: executor, heard) }
    whileTheActorCannotRun(of: channel) {
      channel.send(0)
      executor.drain()
      XCTAssertEqual(heard.events, Array(0..<16))
    }
    try await until("all rung") {
      executor.drain()
      return heard.events.count == 100
    }
    XCTAssertEqual(heard.events, Array(0..<100))
  }

  func test_C92_C40_noneOvertakesThoseThatTheActorHasYetToRing() async throws {
    let channel = Channel<Int>()
    let executor = ManualTaskExecutor()
    let heard = Record<Int>()
    for number in 0..<20 { fallAsleep(number, in: channel, on: executor, heard) }
    whileTheActorCannotRun(of: channel) {
      channel.send(0)
      for number in 20..<23 {
        fallAsleep(number, in: channel, on: executor, heard)
        channel.send(0)
      }
      executor.drain()
      XCTAssertEqual(heard.events, Array(0..<16))
    }
    try await until("all rung") {
      executor.drain()
      return heard.events.count == 23
    }
    XCTAssertEqual(heard.events, Array(0..<23))
    // The actor is done: a sender rings the few again.
    try await until("the actor is done") {
      fallAsleep(23, in: channel, on: executor, heard)
      let count = heard.events.count
      channel.send(0)
      executor.drain()
      return heard.events.count > count
    }
  }

  func test_C92_aCrowdOfAThousandIsRungInOrder() async throws {
    let channel = Channel<Int>()
    let executor = ManualTaskExecutor()
    let heard = Record<Int>()
    for number in 0..<1_000 { fallAsleep(number, in: channel, on: executor, heard) }
    channel.send(0)
    try await until("all rung") { executor.jobCount == 1_000 }
    executor.drain()
    XCTAssertEqual(heard.events, Array(0..<1_000))
  }
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

/// The channel's actor is occupied while the body runs, as if no thread of the pool were free for it.
private func whileTheActorCannotRun(of channel: Channel<Int>, _ body: () -> Void) {
  let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  let ringer = channel.log.state.withLock { $0.ringer }
  Task.detached {
    await ringer.ring {
      hasBegun.signal()
      mayEnd.wait()
      return nil
    }
  }
  hasBegun.wait()
  body()
  mayEnd.signal()
}
