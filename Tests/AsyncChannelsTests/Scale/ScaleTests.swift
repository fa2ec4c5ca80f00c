import TestSupport
import XCTest

@testable import AsyncChannels

final class ScaleTests: XCTestCase {
  func test_C41a_aSendToTenThousandSleepersIsOneAppend() async throws {
    let channel = Channel<Tracked>()
    let census = Census()
    let received = Record<Int>()
    let consumers = (0..<10_000).map { _ in
      let subscription = channel.outlet.subscribe()
      return Task { for await element in subscription { received.add(element.number) } }
    }
    try await channel.untilAsleep(10_000)

    // One element in one place, and one crowd to be woken, whatever their number.
    let (subscribers, wake) = channel.log.append(Tracked(7, in: census))
    XCTAssertEqual(subscribers, 10_000)
    XCTAssertEqual(census.count, 1)
    XCTAssertEqual(channel.log.sleeperCount, 0)
    guard case .crowd = wake else { return XCTFail("the sender is to ring all: \(wake)") }
    let next = channel.log.append(Tracked(7, in: census))
    guard case .nobody = next.wake else { return XCTFail("the sender is to ring: \(next.wake)") }
    XCTAssertEqual(census.count, 2)

    channel.log.perform(wake)
    channel.finish()
    for consumer in consumers { try await within(.seconds(60)) { await consumer.value } }
    XCTAssertEqual(received.events, Array(repeating: 7, count: 20_000))
    XCTAssertEqual(census.count, 0)
  }

  func test_C41a_whatASenderRingsItselfDoesNotGrowWithTheSleepers() async throws {
    for count in [1, 2, 16, 17, 100, 300] {
      let channel = Channel<Int>()
      let executor = ManualTaskExecutor()
      let tasks = (0..<count).map { _ in
        let subscription = channel.outlet.subscribe()
        let task = Task(executorPreference: executor) { for await _ in subscription {} }
        executor.drain()
        return task
      }
      XCTAssertEqual(channel.log.sleeperCount, count)
      let wake = channel.log.append(1).wake
      switch wake {
      case .nobody: XCTFail("\(count) sleep, and nobody is to be rung")
      case .few: XCTAssertLessThanOrEqual(count, 16)
      case .crowd: XCTAssertGreaterThan(count, 16)
      }
      channel.log.perform(wake)
      // The first are rung when this returns, whoever rings the others.
      XCTAssertGreaterThanOrEqual(executor.jobCount, min(count, 16))
      try await until("all rung") { executor.jobCount == count }
      for task in tasks { task.cancel() }
      executor.drain()
      for task in tasks { try await within { await task.value } }
    }
  }

  func test_C41a_aRunOfSendsStoresEachElementOnceForAllUnboundedSubscribers() async throws {
    let census = Census()
    let channel = Channel<Tracked>()
    let subscriptions = (0..<1_000).map { _ in channel.outlet.subscribe() }
    for number in 0..<100 { channel.send(Tracked(number, in: census)) }
    XCTAssertEqual(census.count, 100)
    // Each of them takes from the same store.
    for subscription in subscriptions {
      assertEqual(try await subscription.take(3).map(\.number), [0, 1, 2])
    }
    XCTAssertEqual(census.count, 97)
    withExtendedLifetime(subscriptions) {}
  }
}

extension BroadcastLog {
  fileprivate func append(_ element: Element) -> (subscribers: Int?, wake: Wake) {
    var evicted = Evicted<Element>()
    return appendIfPlain(element, replayed: true, evicting: &evicted)
  }
}
