import TestSupport
import XCTest

@testable import AsyncChannels

final class HandoverTests: XCTestCase {
  func test_C31_anotherTaskContinuesWhereTheCancelledOneStopped() async throws {
    for (channel, subscription) in channelsWithSubscriptions() {
      let received = Record<Int>()
      let first = Task { for await number in subscription { received.add(number) } }
      try await channel.untilAsleep(1)
      for number in 0..<5 { channel.send(number) }
      try await until("five received") { received.count == 5 }
      try await channel.untilAsleep(1)
      first.cancel()
      for number in 5..<10 { channel.send(number) }
      channel.finish()
      let rest = try await subscription.collect()
      try await within { await first.value }
      XCTAssertEqual(received.events, Array(0..<5))
      XCTAssertEqual(rest, Array(5..<10))
    }
  }

  func test_C31_aTaskCancelledInItsLoopsBodyLeavesTheBacklogToTheNext() async throws {
    for (channel, subscription) in channelsWithSubscriptions() {
      for number in 0..<100 { channel.send(number) }
      let received = Record<Int>()
      let inBody = Gate()
      let goOn = Gate()
      let first = Task {
        for await number in subscription {
          received.add(number)
          if number == 2 {
            inBody.open()
            await goOn.pass()
          }
        }
      }
      try await within { await inBody.pass() }
      first.cancel()
      let next = try await subscription.take(10)
      // Back in its loop, the first takes nothing.
      goOn.open()
      try await within { await first.value }
      channel.finish()
      let rest = try await subscription.collect()
      XCTAssertEqual(received.events, [0, 1, 2])
      XCTAssertEqual(next, Array(3..<13))
      XCTAssertEqual(rest, Array(13..<100))
    }
  }

  func test_C31_theNextNeedNotWaitUntilTheCancelledOneHasUnwound() async throws {
    for (channel, subscription) in channelsWithSubscriptions() {
      let (executor, first) = sleeper(on: subscription)
      XCTAssertEqual(channel.log.sleeperCount, 1)
      first.cancel()
      // From here the executor does nothing: whatever the first does is still to come.
      let second = Task { try await subscription.take(3) }
      for number in 0..<5 { channel.send(number) }
      let taken = try await second.value
      channel.finish()
      let rest = try await subscription.collect()
      XCTAssertEqual(executor.jobCount, 1, "the first has unwound already")
      executor.drain()
      assertEqual(try await within { await first.value }, [])
      XCTAssertEqual(taken, [0, 1, 2])
      XCTAssertEqual(rest, [3, 4])
    }
  }

  func test_C31_theCancelledOneDoesNotDisturbTheNextWhenItUnwinds() async throws {
    for (channel, subscription) in channelsWithSubscriptions() {
      let (firstExecutor, first) = sleeper(on: subscription)
      first.cancel()
      let (secondExecutor, second) = sleeper(on: subscription)
      // The first one's doorbell has left the line.
      XCTAssertEqual(channel.log.sleeperCount, 1)
      firstExecutor.drain()
      first.cancel()
      channel.send(7)
      XCTAssertEqual(secondExecutor.jobCount, 1, "the second was not rung")
      secondExecutor.drain()
      channel.finish()
      secondExecutor.drain()
      let taken = try await within { await (first.value, second.value) }
      XCTAssertEqual(taken.0, [])
      XCTAssertEqual(taken.1, [7])
    }
  }

  /// The stream has woken it, and it waits for its actor, on which the next consumer is first.
  func test_C31_whoIsCancelledOnTheWayBackToItsActorGivesWayToTheNextThere() async throws {
    for (channel, subscription) in channelsWithSubscriptions() {
      let stage = Stage()
      let first = Task { await takeAll(from: subscription, on: stage) }
      try await stage.drain(until: "asleep") { channel.log.sleeperCount == 1 }
      let second = Task { await takeOne(from: subscription, on: stage) }
      try await stage.untilJobs(1)
      channel.send(1)
      try await stage.untilJobs(2)
      first.cancel()
      stage.drain()
      assertEqual(try await within { await second.value }, 1)
      assertEqual(try await within { await first.value }, [])
    }
  }

  func test_C31_nothingIsLostHoweverTheHandingOverFallsAmongTheSends() async throws {
    for _ in 0..<Length.rounds(60) {
      for (channel, subscription) in channelsWithSubscriptions() {
        let received = Record<Taken>()
        let sender = Task.detached {
          for number in 0..<2_000 { channel.send(number) }
          channel.finish()
        }
        var consumers: [Task<Void, Never>] = []
        for consumer in 0..<20 {
          let task = Task {
            for await number in subscription { received.add(Taken(number, by: consumer)) }
          }
          // Not always: the next may find one that has hardly begun.
          if consumer.isMultiple(of: 2) { await Task.yield() }
          task.cancel()
          consumers.append(task)
        }
        let last = Task {
          for await number in subscription { received.add(Taken(number, by: 20)) }
        }
        try await within(.seconds(60)) { await last.value }
        await sender.value
        for consumer in consumers { try await within { await consumer.value } }
        // What a consumer took when it was cancelled may be recorded late: the numbers tell.
        let events = received.events.sorted { $0.number < $1.number }
        XCTAssertEqual(events.map(\.number), Array(0..<2_000))
        let order = events.map(\.consumer)
        XCTAssertEqual(order, order.sorted(), "one went on after it was cancelled")
      }
    }
  }

  func test_C31_aLoopThatWasLeftIsContinuedByAnotherTask() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.subscribe()
    for number in 0..<4 { channel.send(number) }
    let first = try await subscription.take(2)
    let second = try await subscription.take(2)
    XCTAssertEqual(first, [0, 1])
    XCTAssertEqual(second, [2, 3])
  }

  func test_C31_theCountOfDropsGoesOnOverAHandover() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.subscribe(buffering: .bufferingNewest(2))
    let first = Task { for await _ in subscription {} }
    try await channel.untilAsleep(1)
    try await first.cancelAndWait()
    for number in 0..<5 { channel.send(number) }
    XCTAssertEqual(subscription.droppedCount, 3)
    assertEqual(try await subscription.take(2), [3, 4])
    XCTAssertEqual(subscription.droppedCount, 3)
  }
}

private struct Taken: Sendable {
  let number: Int
  let consumer: Int

  init(_ number: Int, by consumer: Int) {
    self.number = number
    self.consumer = consumer
  }
}

/// A task that sleeps on a subscription, and takes everything when its executor is drained.
private func sleeper(
  on subscription: Subscription<Int>
) -> (executor: ManualTaskExecutor, task: Task<[Int], Never>) {
  let executor = ManualTaskExecutor()
  let task = Task(executorPreference: executor) {
    var taken: [Int] = []
    for await number in subscription { taken.append(number) }
    return taken
  }
  executor.drain()
  return (executor, task)
}

private func takeAll(
  from subscription: Subscription<Int>, on stage: isolated Stage
) async -> [Int] {
  var taken: [Int] = []
  for await number in subscription { taken.append(number) }
  return taken
}

private func takeOne(
  from subscription: Subscription<Int>, on stage: isolated Stage
) async -> Int? {
  await subscription.next()
}
