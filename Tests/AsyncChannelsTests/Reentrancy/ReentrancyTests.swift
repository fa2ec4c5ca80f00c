import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

final class ReentrancyTests: XCTestCase {
  func test_C38_sendingInsideTheLoopOnTheSameChannelKeepsTheOrder() async throws {
    let channel = Channel<Int>()
    let consumer = channel.outlet.subscribe()
    let witness = channel.outlet.subscribe()
    channel.send(1)
    channel.send(100)
    let received = try await within {
      var received: [Int] = []
      for await number in consumer {
        received.append(number)
        if number < 99 { channel.send(number + 1) }
        if number == 99 { channel.finish() }
      }
      return received
    }
    let expected = [1, 100] + Array(2...99)
    XCTAssertEqual(received, expected)
    assertEqual(try await witness.collect(), expected)
  }

  func test_C38_subscribingInsideTheLoopBeginsAfterTheElementsSentByThen() async throws {
    let channel = Channel<Int>(replaying: 1)
    let consumer = channel.outlet.subscribe()
    for number in 0..<3 { channel.send(number) }
    let subscriptions = try await within {
      var subscriptions: [Subscription<Int>] = []
      for await number in consumer {
        subscriptions.append(channel.outlet.subscribe())
        if number < 5 { channel.send(number + 3) }
        if number == 5 { channel.finish() }
      }
      return subscriptions
    }
    var begun: [[Int]] = []
    for subscription in subscriptions { begun.append(try await subscription.collect()) }
    // Each begins with what was last sent by then; the last two are made after the end.
    XCTAssertEqual(begun.map(\.first), [2, 3, 4, 5, 6, 7, nil, nil])
    XCTAssertEqual(begun.map(\.count), [6, 5, 4, 3, 2, 1, 0, 0])
  }

  func test_C38_finishingInsideTheLoopGivesWhatWasSentBefore() async throws {
    let channel = Channel<Int>()
    let consumer = channel.outlet.subscribe()
    for number in 0..<3 { channel.send(number) }
    let received = try await within {
      var received: [Int] = []
      for await number in consumer {
        received.append(number)
        channel.finish()
        channel.send(number + 100)
      }
      return received
    }
    XCTAssertEqual(received, [0, 1, 2])
  }

  func test_C38_leavingAnotherSubscriptionInsideTheLoopCostsNothing() async throws {
    let channel = Channel<Int>()
    let consumer = channel.outlet.subscribe()
    let other = HandOver(channel.outlet.subscribe())
    for number in 0..<3 { channel.send(number) }
    channel.finish()
    let received = try await within {
      var received: [Int] = []
      for await number in consumer {
        received.append(number)
        _ = other.take()
      }
      return received
    }
    XCTAssertEqual(received, [0, 1, 2])
  }

  // C39 is in DeinitTests.

  // What is observed in the tests of C40 is the order of ringing: a ring resumes the task that
  // sleeps, and resuming it enqueues a job on the executor that the task prefers, before the ring
  // returns. The executor keeps its jobs in order, runs them on this thread, and nobody else's.

  func test_C40_sleepersAreRungInTheOrderInWhichTheyFellAsleep() async throws {
    for count in [2, 3, 300] {
      for finishes in [false, true] {
        let channel = Channel<Int>()
        let executor = ManualTaskExecutor()
        let rung = Record<Int>()
        for sleeper in 0..<count {
          fallAsleep(sleeper, in: channel, on: executor, rung)
          XCTAssertEqual(channel.log.sleeperCount, sleeper + 1)
        }
        if finishes { channel.finish() } else { channel.send(0) }
        try await until("\(count) rung") { executor.jobCount == count }
        executor.drain()
        XCTAssertEqual(rung.events, Array(0..<count))
      }
    }
  }

  func test_C40_theOrderIsThatOfFallingAsleepAndNotThatOfSubscribing() async throws {
    let channel = Channel<Int>()
    let executor = ManualTaskExecutor()
    let rung = Record<Int>()
    let subscriptions = (0..<50).map { _ in channel.outlet.subscribe() }
    for sleeper in (0..<50).reversed() {
      fallAsleep(sleeper, in: channel, on: executor, rung, subscriptions[sleeper])
    }
    channel.send(0)
    try await until("50 rung") { executor.jobCount == 50 }
    executor.drain()
    XCTAssertEqual(rung.events, Array((0..<50).reversed()))
  }

  func test_C40_whoLeavesTheLineDoesNotChangeTheOrderOfTheOthers() async throws {
    let channel = Channel<Int>()
    let executor = ManualTaskExecutor()
    let rung = Record<Int>()
    let tasks = (0..<60).map { fallAsleep($0, in: channel, on: executor, rung) }
    let leaving = [0, 1, 17, 30, 31, 32, 58, 59]
    for sleeper in leaving { tasks[sleeper].cancel() }
    executor.drain()
    for sleeper in leaving { try await within { await tasks[sleeper].value } }
    try await channel.untilAsleep(60 - leaving.count)
    let staying = (0..<60).filter { !leaving.contains($0) }
    for sleeper in 60..<65 { fallAsleep(sleeper, in: channel, on: executor, rung) }
    channel.send(0)
    try await until("the others rung") { executor.jobCount == staying.count + 5 }
    executor.drain()
    XCTAssertEqual(rung.events, staying + Array(60..<65))
  }

  func test_C40_aSleeperThatJoinsWhileTheActorRingsIsRungByItToo() async throws {
    let channel = Channel<Int>()
    enum Moment { case before, beforeRinging, ringing }
    let moment = Locked(Moment.before)
    let mayGoOn = DispatchSemaphore(value: 0)
    // Holds the actor in the midst of ringing.
    let executor = ManualTaskExecutor {
      let isFirst = moment.withLock { moment in
        guard moment == .beforeRinging else { return false }
        moment = .ringing
        return true
      }
      if isFirst { XCTAssertEqual(mayGoOn.wait(timeout: .now() + 10), .success) }
    }
    let rung = Record<Int>()
    // The sender rings the first 16 itself.
    let first = ManualTaskExecutor()
    for sleeper in 0..<16 { fallAsleep(sleeper, in: channel, on: first, rung) }
    for sleeper in 16..<19 { fallAsleep(sleeper, in: channel, on: executor, rung) }
    moment.withLock { $0 = .beforeRinging }
    channel.send(0)
    XCTAssertEqual(first.jobCount, 16)
    try await until("the actor rings") { moment.withLock { $0 == .ringing } }
    let later = ManualTaskExecutor()
    fallAsleep(19, in: channel, on: later, rung)
    channel.send(1)
    XCTAssertEqual(later.jobCount, 0)
    mayGoOn.signal()
    try await until("the later one rung") { later.jobCount == 1 }
    XCTAssertEqual(executor.jobCount, 3)
    for executor in [first, executor, later] { executor.drain() }
    XCTAssertEqual(rung.events, Array(0..<20))
  }

  /// A task that says when it was rung. Returns when it sleeps.
  @discardableResult
  private func fallAsleep(
    _ number: Int, in channel: Channel<Int>, on executor: ManualTaskExecutor, _ rung: Record<Int>,
    _ subscription: Subscription<Int>? = nil
  ) -> Task<Void, Never> {
    let subscription = subscription ?? channel.outlet.subscribe()
    let task = Task(executorPreference: executor) {
      _ = await subscription.makeAsyncIterator().next()
      if !Task.isCancelled { rung.add(number) }
    }
    executor.drain()
    return task
  }
}
