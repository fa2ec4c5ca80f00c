import AsyncChannelsTesting
import TestSupport
import XCTest

@testable import AsyncChannels

/// Work that goes on while somebody listens.
final class WhileSubscribedTests: XCTestCase {
  /// What a body did: it begins, is cancelled, and returns when it is let.
  private final class Work: Sendable {
    let events = Record<String>()
    let mayReturn = Gate()

    @Sendable func run() async {
      events.add("began")
      await withTaskCancellationHandler {
        for await _ in Outlet<Int>.never {}
      } onCancel: {
        events.add("cancelled")
      }
      await mayReturn.pass()
      events.add("returned")
    }

    func untilEvents(_ expected: [String]) async throws {
      try await until("\(expected)") { self.events.events == expected }
    }
  }

  func test_C67_itRunsWhileSomebodyIsSubscribedAndAgainWithTheNext() async throws {
    let channel = Channel<Int>()
    let work = Work()
    work.mayReturn.open()
    let running = Task { await channel.whileSubscribed { await work.run() } }
    try await until("it follows") { channel.subscriberCounts.outlet.logs[0].sleeperCount == 1 }
    XCTAssertEqual(work.events.events, [])
    let round = ["began", "cancelled", "returned"]
    for count in 1...2 {
      var subscriptions = [channel.outlet.subscribe()]
      try await work.untilEvents(
        Array(repeating: round, count: count - 1).flatMap { $0 } + ["began"])
      subscriptions.append(channel.outlet.subscribe())
      subscriptions.removeFirst()
      XCTAssertEqual(work.events.count, 3 * count - 2)
      subscriptions.removeAll()
      try await work.untilEvents(Array(repeating: round, count: count).flatMap { $0 })
    }
    channel.finish()
    try await running.result()
  }

  func test_C67_itLingersForAYearIfItIsToLingerForEver() async throws {
    let channel = Channel<Int>()
    let work = Work()
    work.mayReturn.open()
    let running = Task {
      await channel.whileSubscribed(lingering: .seconds(Int64.max)) { await work.run() }
    }
    var subscription = Optional(channel.outlet.subscribe())
    try await work.untilEvents(["began"])
    subscription = nil
    try await until("it lingers") { channel.subscriberCounts.value == 0 }
    subscription = channel.outlet.subscribe()
    channel.finish()
    try await running.result()
    XCTAssertEqual(work.events.events, ["began", "cancelled", "returned"])
    XCTAssertNotNil(subscription)
  }

  func test_C67_itLingersAndIsCancelledWhenTheLastHasBeenGoneForThatLong() async throws {
    let channel = Channel<Int>()
    let work = Work()
    work.mayReturn.open()
    let clock = TestClock()
    let running = Task {
      await channel.whileSubscribed(lingering: .seconds(5), clock: clock) { await work.run() }
    }
    var subscription: Subscription? = channel.outlet.subscribe()
    try await work.untilEvents(["began"])
    for _ in 0..<3 {
      subscription = nil
      try await clock.untilSleeping(1)
      clock.advance(by: .seconds(4))
      // The next comes in time, and the wait begins anew when it has left.
      subscription = channel.outlet.subscribe()
      try await clock.untilSleeping(0)
      XCTAssertEqual(work.events.events, ["began"])
    }
    subscription = nil
    try await clock.untilSleeping(1)
    clock.advance(by: .seconds(4))
    XCTAssertEqual(work.events.events, ["began"])
    clock.advance(by: .seconds(1))
    try await work.untilEvents(["began", "cancelled", "returned"])
    try await running.cancelAndWait()
    withExtendedLifetime(subscription) {}
  }

  func test_C67_oneCallAtATimeAndWhatReturnsByItselfIsNotCalledAgainMeanwhile() async throws {
    let number = CurrentValue(0)
    let work = Work()
    let running = Task { await number.whileSubscribed { await work.run() } }
    var subscription: Subscription? = number.outlet.subscribe()
    try await work.untilEvents(["began"])
    subscription = nil
    try await work.untilEvents(["began", "cancelled"])
    // Those who come and go while it unwinds do not begin it; the one who is there then does.
    for _ in 0..<3 { withExtendedLifetime(number.outlet.subscribe()) {} }
    subscription = number.outlet.subscribe()
    XCTAssertEqual(work.events.events, ["began", "cancelled"])
    work.mayReturn.open()
    try await until("it began again") { work.events.events.filter { $0 == "began" }.count >= 2 }
    XCTAssertEqual(
      Array(work.events.events.prefix(4)), ["began", "cancelled", "returned", "began"])
    try await running.cancelAndWait()
    withExtendedLifetime(subscription) {}

    let calls = Record<Int>()
    let brief = Task { await number.whileSubscribed { calls.add(1) } }
    let others = (0..<3).map { _ in number.outlet.subscribe() }
    try await until("it was called") { calls.count == 1 }
    number.finish()
    try await brief.result()
    XCTAssertEqual(calls.count, 1)
    withExtendedLifetime(others) {}
  }

  func test_C68_itReturnsWhenTheOwnerFinishesOrTheTaskIsCancelledAndTheBodyHasReturned()
    async throws
  {
    for cancels in [false, true] {
      let output = Output<Int>()
      let work = Work()
      let hasReturned = Record<Void>()
      let running = Task {
        await output.whileSubscribed(lingering: .seconds(3600)) { await work.run() }
        hasReturned.add(())
      }
      let subscription = output.outlet.subscribe()
      try await work.untilEvents(["began"])
      if cancels { running.cancel() } else { output.finish() }
      try await work.untilEvents(["began", "cancelled"])
      XCTAssertEqual(hasReturned.count, 0)
      work.mayReturn.open()
      try await running.result()
      XCTAssertEqual(work.events.events, ["began", "cancelled", "returned"])
      withExtendedLifetime(subscription) {}
    }
  }

  func test_C68_theEndComesWhileItLingersToo() async throws {
    for cancels in [false, true] {
      let output = Output<Int>()
      let work = Work()
      work.mayReturn.open()
      let clock = TestClock()
      let running = Task {
        await output.whileSubscribed(lingering: .seconds(1), clock: clock) { await work.run() }
      }
      var subscription: Subscription? = output.outlet.subscribe()
      try await work.untilEvents(["began"])
      subscription = nil
      try await clock.untilSleeping(1)
      if cancels { running.cancel() } else { output.finish() }
      try await running.result()
      XCTAssertEqual(work.events.events, ["began", "cancelled", "returned"])
      withExtendedLifetime(subscription) {}
    }
  }

  func test_C68_aTaskThatWasCancelledBeforeCallsNothing() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.subscribe()
    let calls = Record<Int>()
    let running = Task {
      cancelThisTask()
      await channel.whileSubscribed { calls.add(1) }
    }
    try await running.result()
    XCTAssertEqual(calls.count, 0)
    withExtendedLifetime(subscription) {}
  }

  /// Subscribers come and go: afterwards it runs if and only if there is one.
  func test_C67_howeverTheyComeAndGoItRunsInTheEndIfSomebodyIsThere() async throws {
    for round in 0..<50 {
      let channel = Channel<Int>()
      let work = Work()
      work.mayReturn.open()
      let running = Task { await channel.whileSubscribed { await work.run() } }
      var subscription: Subscription<Int>?
      for index in 0..<20 {
        subscription = channel.outlet.subscribe()
        await giveWay((round + index) % 4)
        subscription = nil
        await giveWay((round * index) % 3)
      }
      try await until("nothing runs") {
        work.events.events.last != "began" && work.events.events.last != "cancelled"
      }
      subscription = channel.outlet.subscribe()
      try await until("it runs") { work.events.events.last == "began" }
      try await running.cancelAndWait()
      // Never two at a time.
      XCTAssertTrue(
        zip(work.events.events, ["began", "cancelled", "returned"].cycled()).allSatisfy(==))
      withExtendedLifetime(subscription) {}
    }
  }

  @MainActor
  func test_C67_theBodyRunsInTheIsolationInWhichItWasMade() async throws {
    let channel = Channel<Int>()
    var calls = 0
    let subscription = channel.outlet.subscribe()
    let running = Task {
      await channel.whileSubscribed {
        MainActor.assertIsolated()
        calls += 1
        channel.finish()
      }
    }
    try await running.result()
    XCTAssertEqual(calls, 1)
    withExtendedLifetime(subscription) {}
  }
}

extension Array {
  fileprivate func cycled() -> some Sequence<Element> {
    sequence(state: 0) { index in
      defer { index += 1 }
      return self[index % count]
    }
  }
}
