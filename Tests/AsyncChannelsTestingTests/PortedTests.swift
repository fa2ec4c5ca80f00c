import AsyncChannelsRunning
import AsyncChannelsTesting
import TestSupport
import XCTest

/// What the documents of other test libraries show, said here. The guide has a table of what cannot be said.
@MainActor
final class PortedTests: XCTestCase {
  // kotlinx-coroutines-test

  func test_kotlin_aLongDelayIsSkipped() async throws {
    try await withTestTime { time in
      var isDone = false
      Task {
        try await time.clock.sleep(for: .seconds(86_400))
        isDone = true
      }
      await time.run()
      XCTAssertTrue(isDone)
      XCTAssertEqual(time.clock.now.sinceBeginning, .seconds(86_400))
    }
  }

  /// There, `advanceTimeBy(1_000)` stops before the tasks of that moment. Here they run.
  func test_kotlin_advanceTimeByAndRunCurrent() async throws {
    try await withTestTime { time in
      var log: [Int] = []
      for milliseconds in [500, 1_000, 1_001] {
        Task {
          try await time.clock.sleep(for: .milliseconds(milliseconds))
          log.append(milliseconds)
        }
      }
      await time.advance(by: .milliseconds(999))
      XCTAssertEqual(log, [500])
      await time.advance(by: .milliseconds(1))
      XCTAssertEqual(log, [500, 1_000])
      await time.advance(by: .milliseconds(1))
      XCTAssertEqual(log, [500, 1_000, 1_001])
    }
  }

  func test_kotlin_advanceUntilIdleRunsWhatIsLaunchedMeanwhile() async throws {
    try await withTestTime { time in
      var log: [String] = []
      Task {
        log.append("outer")
        try await time.clock.sleep(for: .seconds(1))
        Task {
          log.append("inner")
          try await time.clock.sleep(for: .seconds(3))
          log.append("inner done")
        }
        try await time.clock.sleep(for: .seconds(1))
        log.append("outer done")
      }
      await time.run()
      XCTAssertEqual(log, ["outer", "inner", "outer done", "inner done"])
      XCTAssertEqual(time.clock.now.sinceBeginning, .seconds(4))
    }
  }

  func test_kotlin_aLaunchedTaskDoesNotRunBeforeTheTestWaits() async throws {
    try await withTestTime { time in
      var isEntered = false
      Task { isEntered = true }
      XCTAssertFalse(isEntered)
      await time.idle()
      XCTAssertTrue(isEntered)
    }
  }

  /// `backgroundScope`: work without an end is cancelled with the test.
  func test_kotlin_workInTheBackgroundEndsWithTheTest() async throws {
    let ticks = Record<Void>()
    try await withTestTime { time in
      await withRunning({
        while (try? await time.clock.sleep(for: .seconds(1))) != nil { ticks.add(()) }
      }) {
        await time.advance(by: .seconds(10))
      }
    }
    XCTAssertEqual(ticks.count, 10)
  }

  func test_kotlin_aTimeoutIsInTheTimeOfTheTest() async throws {
    try await withTestTime { time in
      let answer = Task {
        await withTaskGroup(of: String.self) { group in
          group.addTask {
            try? await time.clock.sleep(for: .seconds(60))
            return "answer"
          }
          group.addTask {
            try? await time.clock.sleep(for: .seconds(5))
            return "too late"
          }
          defer { group.cancelAll() }
          return await group.next()
        }
      }
      await time.advance(by: .seconds(5))
      let first = await answer.value
      XCTAssertEqual(first, "too late")
      XCTAssertEqual(time.clock.sleeperCount, 0)
    }
  }

  /// A `StateFlow` conflates. Here a follower chooses that.
  func test_kotlin_aSlowCollectorMissesValuesInBetween() async throws {
    try await withTestTime { time in
      let state = CurrentValue(0)
      var (all, newest): ([Int], [Int]) = ([], [])
      let tokens = [
        state.outlet.observe { all.append($0) },
        state.outlet.observe(buffering: .bufferingNewest(1)) { newest.append($0) },
      ]
      await time.idle()
      for number in 1...3 { state.value = number }
      await time.idle()
      XCTAssertEqual(all, [0, 1, 2, 3])
      XCTAssertEqual(newest, [0, 3])
      withExtendedLifetime(tokens) {}
    }
  }

  // Turbine

  func test_turbine_eachItemAndTheCompletionAreConsumed() async throws {
    try await withTestTime { _ in
      let channel = Channel<String>()
      let turbine = Probe(channel.outlet)
      channel.send("one")
      channel.send("two")
      channel.finish()
      try await turbine.expect("one")
      try await turbine.expect("two")
      try await turbine.expectFinished()
    }
  }

  func test_turbine_anUnconsumedEventFails() async throws {
    try await withTestTime { _ in
      let channel = Channel<String>()
      do {
        try await withProbe(of: channel.outlet) { turbine in
          channel.send("one")
          channel.send("two")
          try await turbine.expect("one")
        }
        XCTFail("it passed")
      } catch {
        XCTAssertTrue("\(error)".contains("the test left \"two\" unchecked"), "\(error)")
      }
    }
  }

  func test_turbine_expectMostRecentItem() async throws {
    try await withTestTime { time in
      let channel = Channel<String>()
      let turbine = Probe(channel.outlet)
      Task {
        for word in ["one", "two", "three"] {
          try await time.clock.sleep(for: .milliseconds(100))
          channel.send(word)
        }
      }
      await time.advance(by: .milliseconds(250))
      XCTAssertEqual(turbine.values.last, "two")
    }
  }

  func test_turbine_expectNoEventsAndSkipItems() async throws {
    try await withTestTime { _ in
      let channel = Channel<Int>()
      let turbine = Probe(channel.outlet)
      try await turbine.expectNothing()
      for number in 1...4 { channel.send(number) }
      try await turbine.next(3)
      try await turbine.expect(4)
      try await turbine.expectNothing(for: .seconds(1))
    }
  }

  /// `turbineScope`, `testIn`: several flows, one after the other's cause.
  func test_turbine_severalFlowsInOneTest() async throws {
    try await withTestTime { _ in
      let (requests, results) = (Channel<Int>(), Channel<Int>())
      let (asked, answered) = (Probe(requests.outlet), Probe(results.outlet))
      let token = requests.outlet.observe { results.send($0 * 2) }
      requests.send(4)
      try await asked.expect(4)
      try await answered.expect(8)
      token.cancel()
    }
  }

  /// `awaitError`: a flow cannot fail here. Its elements are results.
  func test_turbine_anErrorIsAnElement() async throws {
    struct Broken: Error, Equatable {}
    try await withTestTime { _ in
      let channel = Channel<Result<Int, Broken>>()
      let turbine = Probe(channel.outlet)
      channel.send(.failure(Broken()))
      try await turbine.expect(.failure(Broken()))
    }
  }

  // TCA's TestStore

  func test_tca_eachChangeOfStateIsAsserted() async throws {
    try await withTestTime { time in
      let feature = Feature(time.clock)
      let state = Probe(feature.$state)
      try await withRunning(feature) {
        try await state.expect(Feature.State())
        feature.query.send("Swift")
        try await state.expect { $0.query = "Swift" }
        await time.advance(by: .milliseconds(300))
        try await state.expect { $0.isLoading = true }
        await time.advance(by: .seconds(1))
        try await state.expect {
          $0.isLoading = false
          $0.results = ["Swift 6"]
        }
        try state.finish()
      }
    }
  }

  func test_tca_aChangeThatIsNotAssertedIsShown() async throws {
    try await withTestTime { time in
      let feature = Feature(time.clock)
      let state = Probe(feature.$state)
      try await withRunning(feature) {
        try await state.next()
        feature.query.send("Swift")
        do {
          try await state.expect { $0.isLoading = true }
          XCTFail("it passed")
        } catch {
          for part in ["− query: \"\"", "+ query: \"Swift\"", "− isLoading: true"]
          where !"\(error)".contains(part) { XCTFail("\(part) is not in \(error)") }
        }
      }
    }
  }

  /// `cancelInFlight`: a newer query cancels the effect of the older one, whose action is never received.
  func test_tca_anEffectIsCancelledInFlight() async throws {
    try await withTestTime { time in
      let feature = Feature(time.clock)
      await withRunning(feature) {
        feature.query.send("Sw")
        await time.advance(by: .milliseconds(800))
        feature.query.send("Swift")
        await time.run()
        XCTAssertEqual(feature.state.results, ["Swift 6"])
        XCTAssertEqual(time.clock.now.sinceBeginning, .milliseconds(2_100))
      }
    }
  }

  /// `exhaustivity = .off`: only the end matters.
  func test_tca_aTestThatIsNotExhaustive() async throws {
    try await withTestTime { time in
      let feature = Feature(time.clock)
      let state = Probe(feature.$state)
      try await withRunning(feature) {
        feature.query.send("Swift")
        await time.run()
        try await state.next(where: { $0.results == ["Swift 6"] })
      }
    }
  }

  // ReactiveSwift's TestScheduler

  func test_reactiveSwift_aDelayEndsAfterFourQuarters() async throws {
    try await withTestTime { time in
      var value: Int?
      Task {
        try await time.clock.sleep(for: .seconds(1))
        value = 1
      }
      for _ in 0..<3 {
        await time.advance(by: .milliseconds(250))
        XCTAssertNil(value)
      }
      await time.advance(by: .milliseconds(250))
      XCTAssertEqual(value, 1)
    }
  }

  /// Two intervals, interleaved in the order of their deadlines, and of one deadline in that of their beginning.
  func test_reactiveSwift_intervalsAreInterleaved() async throws {
    try await withTestTime { time in
      var log: [String] = []
      let tasks = [2, 3].map { interval in
        Task {
          while true {
            try await time.clock.sleep(for: .seconds(interval))
            log.append("\(interval) at \(time.clock.now.sinceBeginning.components.seconds)")
          }
        }
      }
      await time.advance(by: .seconds(6))
      XCTAssertEqual(log, ["2 at 2", "3 at 3", "2 at 4", "3 at 6", "2 at 6"])
      for task in tasks { task.cancel() }
    }
  }

  func test_reactiveSwift_whatIsScheduledWhileTheTimeAdvancesRunsAtItsOwnTime() async throws {
    try await withTestTime { time in
      var times: [Duration] = []
      @MainActor func schedule(_ count: Int) {
        Task {
          try await time.clock.sleep(for: .seconds(1))
          times.append(time.clock.now.sinceBeginning)
          if count > 1 { schedule(count - 1) }
        }
      }
      schedule(3)
      await time.advance(by: .seconds(10))
      XCTAssertEqual(times, [.seconds(1), .seconds(2), .seconds(3)])
    }
  }
}

/// A search, as TCA's documents have it.
@MainActor
private final class Feature: ViewModel {
  struct State: Sendable, Equatable {
    var query = ""
    var isLoading = false
    var results: [String] = []
  }

  @Input var query: Inlet<String>
  @CurrentValue private(set) var state = State()
  private let clock: TestClock

  init(_ clock: TestClock) { self.clock = clock }

  func run() async {
    let clock = clock
    let (typed, searched) = (_query.received, Input<String>())
    await together(
      {
        for await query in typed {
          self.state.query = query
          searched.inlet.send(query)
        }
      },
      {
        await searched.received.answer(
          .latestOnly, debounce: .milliseconds(300), clock: clock
        ) { (query: String) in
          await self.load()
          try? await clock.sleep(for: .seconds(1))
          return ["\(query) 6"]
        } publish: {
          self.state = State(query: self.state.query, results: $1)
        }
      })
  }

  private func load() { state.isLoading = true }
}
