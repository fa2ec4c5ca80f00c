import AsyncChannelsRunning
import AsyncChannelsTesting
import TestSupport
import XCTest

/// Work that goes on while somebody listens.
@MainActor
final class WhileSubscribedTests: XCTestCase {
  func test_C67_itRunsWhileSomebodyIsSubscribedAndAgainWithTheNext() async throws {
    try await withTestTime { time in
      let channel = Channel<Int>()
      let work = Work(time)
      let running = Task.detached { await channel.whileSubscribed { await work.run() } }
      await time.idle()
      XCTAssertEqual(work.takeEvents(), [])
      for _ in 1...2 {
        var subscriptions = [channel.outlet.subscribe()]
        await time.idle()
        XCTAssertEqual(work.takeEvents(), ["began"])
        subscriptions.append(channel.outlet.subscribe())
        subscriptions.removeFirst()
        await time.idle()
        XCTAssertEqual(work.takeEvents(), [])
        subscriptions.removeAll()
        await time.idle()
        XCTAssertEqual(work.takeEvents(), ["cancelled", "returned"])
      }
      channel.finish()
      await running.value
    }
  }

  func test_C67_itLingersForAYearIfItIsToLingerForEver() async throws {
    try await withTestTime { time in
      let channel = Channel<Int>()
      let work = Work(time)
      let running = Task.detached {
        await channel.whileSubscribed(lingering: .seconds(Int64.max), clock: time.clock) {
          await work.run()
        }
      }
      var subscription = Optional(channel.outlet.subscribe())
      await time.idle()
      subscription = nil
      await time.idle()
      XCTAssertEqual(time.clock.rests, [.seconds(365 * 24 * 60 * 60)])
      subscription = channel.outlet.subscribe()
      channel.finish()
      await running.value
      XCTAssertEqual(work.takeEvents(), ["began", "cancelled", "returned"])
      XCTAssertNotNil(subscription)
    }
  }

  func test_C67_itLingersAndIsCancelledWhenTheLastHasBeenGoneForThatLong() async throws {
    try await withTestTime { time in
      let channel = Channel<Int>()
      let work = Work(time)
      let running = Task.detached {
        await channel.whileSubscribed(lingering: .seconds(5), clock: time.clock) {
          await work.run()
        }
      }
      var subscription: Subscription? = channel.outlet.subscribe()
      await time.idle()
      for _ in 0..<3 {
        subscription = nil
        await time.advance(by: .seconds(4))
        // The next comes in time, and the wait begins anew when it has left.
        subscription = channel.outlet.subscribe()
        await time.idle()
        XCTAssertEqual(time.clock.sleeperCount, 0)
      }
      subscription = nil
      await time.advance(by: .milliseconds(4_999))
      XCTAssertEqual(work.takeEvents(), ["began"])
      await time.advance(by: .milliseconds(1))
      XCTAssertEqual(work.takeEvents(), ["cancelled", "returned"])
      running.cancel()
      withExtendedLifetime(subscription) {}
    }
  }

  func test_C67_oneCallAtATimeAndWhatReturnsByItselfIsNotCalledAgainMeanwhile() async throws {
    try await withTestTime { time in
      let number = CurrentValue(0)
      let work = Work(time, unwindingFor: .seconds(1))
      let running = Task.detached { await number.whileSubscribed { await work.run() } }
      var subscription: Subscription? = number.outlet.subscribe()
      await time.idle()
      subscription = nil
      await time.idle()
      // Those who come and go while it unwinds do not begin it; the one who is there then does.
      for _ in 0..<3 { withExtendedLifetime(number.outlet.subscribe()) {} }
      subscription = number.outlet.subscribe()
      await time.idle()
      XCTAssertEqual(work.takeEvents(), ["began", "cancelled"])
      await time.advance(by: .seconds(1))
      XCTAssertEqual(work.takeEvents(), ["returned", "began"])
      running.cancel()
      await time.run()
      withExtendedLifetime(subscription) {}

      let calls = Record<Int>()
      let brief = Task.detached { await number.whileSubscribed { calls.add(1) } }
      let others = (0..<3).map { _ in number.outlet.subscribe() }
      await time.idle()
      number.finish()
      await brief.value
      XCTAssertEqual(calls.count, 1)
      withExtendedLifetime(others) {}
    }
  }

  func test_C68_itReturnsWhenTheOwnerFinishesOrTheTaskIsCancelledAndTheBodyHasReturned()
    async throws
  {
    try await withTestTime { time in
      for cancels in [false, true] {
        let output = Output<Int>()
        let work = Work(time, unwindingFor: .seconds(1))
        let running = Task.detached {
          await output.whileSubscribed(lingering: .seconds(3600), clock: time.clock) {
            await work.run()
          }
          work.events.add("whileSubscribed returned")
        }
        let subscription = output.outlet.subscribe()
        await time.idle()
        if cancels { running.cancel() } else { output.finish() }
        await time.idle()
        XCTAssertEqual(work.takeEvents(), ["began", "cancelled"])
        await time.advance(by: .seconds(1))
        XCTAssertEqual(work.takeEvents(), ["returned", "whileSubscribed returned"])
        withExtendedLifetime(subscription) {}
      }
    }
  }

  func test_C68_theEndComesWhileItLingersToo() async throws {
    try await withTestTime { time in
      for cancels in [false, true] {
        let output = Output<Int>()
        let work = Work(time)
        let running = Task.detached {
          await output.whileSubscribed(lingering: .seconds(1), clock: time.clock) {
            await work.run()
          }
        }
        var subscription: Subscription? = output.outlet.subscribe()
        await time.idle()
        subscription = nil
        await time.idle()
        XCTAssertEqual(time.clock.sleeperCount, 1)
        if cancels { running.cancel() } else { output.finish() }
        await running.value
        XCTAssertEqual(work.takeEvents(), ["began", "cancelled", "returned"])
        withExtendedLifetime(subscription) {}
      }
    }
  }

  func test_C68_aTaskThatWasCancelledBeforeCallsNothing() async throws {
    try await withTestTime { time in
      let channel = Channel<Int>()
      let subscription = channel.outlet.subscribe()
      let work = Work(time)
      let running = Task.detached { await channel.whileSubscribed { await work.run() } }
      running.cancel()
      await running.value
      XCTAssertEqual(work.takeEvents(), [])
      withExtendedLifetime(subscription) {}
    }
  }

  /// Subscribers come and go: afterwards it runs if and only if there is one.
  func test_C67_howeverTheyComeAndGoItRunsInTheEndIfSomebodyIsThere() async throws {
    try await withTestTime(orders: .random(50, seed: 1)) { time in
      let seed = Int(time.seed ?? 0)
      let channel = Channel<Int>()
      let work = Work(time)
      let running = Task.detached { await channel.whileSubscribed { await work.run() } }
      var subscription: Subscription<Int>?
      for index in 0..<20 {
        subscription = channel.outlet.subscribe()
        await giveWay((seed + index) % 4)
        subscription = nil
        await giveWay((seed * index) % 3)
      }
      await time.idle()
      subscription = channel.outlet.subscribe()
      await time.idle()
      // Never two at a time.
      let events = work.takeEvents()
      let rounds = Array(repeating: ["began", "cancelled", "returned"], count: events.count / 3)
      XCTAssertEqual(events, rounds.flatMap { $0 } + ["began"], "seed \(seed)")
      running.cancel()
      withExtendedLifetime(subscription) {}
    }
  }

  func test_C67_theBodyRunsInTheIsolationInWhichItWasMade() async throws {
    let channel = Channel<Int>()
    var calls = 0
    let subscription = channel.outlet.subscribe()
    await channel.whileSubscribed {
      MainActor.assertIsolated()
      calls += 1
      channel.finish()
    }
    XCTAssertEqual(calls, 1)
    withExtendedLifetime(subscription) {}
  }
}

/// What a body did: it begins, is cancelled, and returns some time after that.
private final class Work: Sendable {
  let events = Record<String>()
  private let clock: TestClock
  private let unwinding: Duration

  init(_ time: TestTime, unwindingFor unwinding: Duration = .zero) {
    clock = time.clock
    self.unwinding = unwinding
  }

  func run() async {
    events.add("began")
    await withTaskCancellationHandler {
      for await _ in Outlet<Int>.never {}
    } onCancel: {
      events.add("cancelled")
    }
    await clock.sleepThrough(unwinding)
    events.add("returned")
  }

  /// Those since it was asked last.
  func takeEvents() -> [String] { events.take() }
}
