import TestSupport
import XCTest

@testable import AsyncChannels

/// C47, the end: a `Stage` is an actor whose jobs the test runs, one by one where it matters.
final class ObserveCancelTests: XCTestCase {
  func test_C47f_afterCancelInItsActorTheBodyIsNotCalledThoughTheConsumerWasRung() async throws {
    for end in Ending.allCases {
      let channel = Channel<Int>()
      let stage = Stage()
      let calls = Record<Int>()
      let token = try await stage.perform { HandOver($0.observe(channel.outlet, calls)) }
      try await stage.drain(until: "asleep") { channel.log.sleeperCount == 1 }
      channel.send(1)
      try await stage.drain(until: "called") { calls.count == 1 }
      try await stage.drain(until: "asleep") { channel.log.sleeperCount == 1 }
      channel.send(2)
      channel.send(3)
      // The consumer was rung and waits for its turn: this one comes before it.
      try await stage.untilJobs(1)
      try await stage.performFirst { _ in end.apply(to: token) }
      try await stage.drain(until: "unsubscribed") { channel.subscriberCount == 0 }
      XCTAssertEqual(calls.events, [1], "\(end)")
      withExtendedLifetime(token) {}
    }
  }

  func test_C47f_betweenTheLastLookAtTheCancellationAndTheCallNothingRunsInTheActor() async throws {
    for sends in [false, true] {
      let channel = Channel<Int>()
      let stage = Stage()
      let calls = Record<Int>()
      let token = try await stage.perform { $0.observe(channel.outlet, calls, sends: sends) }
      try await stage.drain(until: "asleep") { channel.log.sleeperCount == 1 }
      channel.send(1)
      // First the consumer's turn, behind it the cancelling one.
      try await stage.untilJobs(1)
      let cancelling = try await stage.enqueue { _ in
        token.cancel()
        calls.add(-1)
      }
      try await stage.drain(until: "unsubscribed") { channel.subscriberCount == 0 }
      try await within { await cancelling.value }
      XCTAssert([[1, -1], [-1]].contains(calls.events), "sends: \(sends), \(calls.events)")
    }
  }

  @MainActor
  func test_C47f_afterCancelOnTheMainActorTheBodyIsNotCalled() async throws {
    for end in Ending.allCases {
      for _ in 0..<50 {
        let channel = Channel<Int>()
        let calls = Record<Int>()
        let token = HandOver(
          channel.outlet.observe { number in
            MainActor.preconditionIsolated()
            calls.add(number)
          })
        try await channel.untilAsleep(1)
        channel.send(1)
        channel.send(2)
        end.apply(to: token)
        try await until("unsubscribed") { channel.subscriberCount == 0 }
        XCTAssertEqual(calls.events, [], "\(end)")
        withExtendedLifetime(token) {}
      }
    }
  }

  @MainActor
  func test_C43_anObserverThatIsCancelledWhileItSleepsLeavesNoSleeperBehind() async throws {
    let channel = Channel<Int>()
    let token = channel.outlet.observe { _ in }
    XCTAssertEqual(channel.log.sleeperCount, 1)
    token.cancel()
    try await until("unsubscribed") { channel.subscriberCount == 0 }
    XCTAssertEqual(channel.log.sleeperCount, 0)
  }

  @MainActor
  func test_C47f_noCallComesAfterACancelThatRacesWithASender() async throws {
    for end in Ending.allCases {
      for round in 0..<50 {
        let channel = Channel<Int>()
        let calls = Record<Int>()
        let watch = Watch()
        let token = HandOver(
          channel.outlet.observe { number in
            if watch.isOver { watch.callsAfterwards += 1 }
            calls.add(number)
          })
        let sender = Task.detached { for number in 0..<100 { channel.send(number) } }
        try await until("some called") { calls.count > round }
        end.apply(to: token)
        watch.isOver = true
        await sender.value
        try await until("unsubscribed") { channel.subscriberCount == 0 }
        XCTAssertEqual(watch.callsAfterwards, 0, "\(end)")
        XCTAssertEqual(calls.events, Array(0..<calls.count))
        withExtendedLifetime(token) {}
      }
    }
  }
}

@MainActor
private final class Watch {
  var isOver = false
  var callsAfterwards = 0
}

/// The two ways to end observing.
private enum Ending: CaseIterable {
  case cancelling, dropping

  func apply(to token: HandOver<CancellationToken>) {
    switch self {
    case .cancelling: token.peek { $0.cancel() }
    case .dropping: _ = token.take()
    }
  }
}
