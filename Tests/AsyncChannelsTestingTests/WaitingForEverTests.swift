import AsyncChannelsRecording
import AsyncChannelsRunning
import Dispatch
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannelsTesting

/// A test that would wait for ever fails, within a second, and says what waits.
final class WaitingForEverTests: XCTestCase {
  /// Each test would wait as long as one of a user, which is this while a test runs.
  @MainActor private static var usual = Duration.milliseconds(300)

  override func setUp() async throws {
    await MainActor.run { swap(&Self.usual, &TestRun.patience.usual) }
  }

  override func tearDown() async throws {
    await MainActor.run { swap(&Self.usual, &TestRun.patience.usual) }
  }

  @MainActor
  func test_C96_aTestOfAUserWaitsForLessThanASecond() {
    XCTAssertLessThan(Self.usual, .seconds(1))
    XCTAssertGreaterThan(Self.usual, TestRun.patience.usual)
  }

  @MainActor
  func test_C96_workThatNobodyLetsGoOn() async throws {
    let report = await failure { _ in await never() }
    try assertSays(
      report, "WaitingForEverTests.swift:",
      "The closure would never return",
      "- The closure waits in never ← a closure in WaitingForEverTests",
      "It did not return when it was cancelled, either, and is abandoned.")
  }

  @MainActor
  func test_C96_aProbe() async throws {
    let report = await failure { time in
      let model = Model(time.clock)
      let recording = Recording(of: model)
      try await withRunning(model) {
        let probe = Probe(model.$count)
        try await probe.next(2)
      }
      withExtendedLifetime(recording) {}
    }
    try assertSays(
      report, "- A probe of model.$count waits at WaitingForEverTests.swift:\(#line - 5).",
      "waits in AsyncSequence.answer ← Model.run",
      "The closure threw: WaitingForEverTests.swift:\(#line - 7): model.$count: Expected 2 elements, after 0",
      // What the recording has recorded.
      "┬      subscription 1 subscribed")
  }

  @MainActor
  func test_C96_anInputThatNobodyReceives() async throws {
    let report = await failure { time in
      let model = Model(time.clock)
      let probe = Probe(model.$count)
      model.go.send(1)
      try await probe.next(2)
    }
    try assertSays(
      report,
      """
      - 1 element was sent to a Channel<Int> whose subscriber has never asked for one. If this is an input, does its \
      owner's run() run?
      """)
    let other = await failure { time in
      let model = Model(time.clock)
      let probe = Probe(model.$count)
      try await withRunning(model) {
        model.go.send(1)
        try await probe.next(2)
      }
    }
    XCTAssertFalse(other.contains("never asked"), other)
  }

  @MainActor
  func test_C96_aSleepThatOnlyTheTestCanEnd() async throws {
    let report = await failure { time in
      let model = Model(time.clock)
      let probe = Probe(model.$count)
      try await withRunning(model) {
        model.go.send(1)
        try await probe.expect(0)
        try await probe.expect(1)
      }
    }
    try assertSays(
      report, "- A task waits in TestClock.sleep",
      "- A task sleeps on the test's clock, which is at 0.0 seconds. The next deadline is 1.0 seconds. Only time.advance"
    )
  }

  @MainActor
  func test_C96_listenersThatDoNotAsk() async throws {
    let report = await failure { _ in
      let channel = Channel<Int>()
      let subscription = channel.outlet.subscribe()
      channel.send(1)
      await channel.outlet.waitUntilSettled()
      withExtendedLifetime(subscription) {}
    }
    try assertSays(
      report,
      "- waitUntilSettled() waits for 1 of 1 subscribers of a Channel<Int>: to take what was sent,",
      "- The closure waits in Subscribable.waitUntilSettled ← a closure in WaitingForEver")
  }

  @MainActor
  func test_C96_tasksThatWaitByYielding() async throws {
    let report = await failure(stepLimit: 1_000) { _ in
      while !Task.isCancelled { await Task.yield() }
    }
    try assertSays(report, "Some tasks always called Task.yield(), at least 5000 times, while")
  }

  @MainActor
  func test_C96_aRealSleepIsSaid() async throws {
    let report = await failure { _ in try await Task.sleep(for: .milliseconds(20)) }
    try assertSays(
      report,
      "A task slept for 20 ms on a real clock, which the test does not move, in a closure in ",
      "WaitingForEverTests.test_C96_aRealSleepIsSaid. Give it the clock of the test, time.clock")
  }

  @MainActor
  func test_C96_aRealTimerDoesNotKeepItFromFailing() async throws {
    let start = ContinuousClock.now
    let report = await failure { time in
      let timer = Task { for _ in 0..<100 { try await Task.sleep(for: .milliseconds(100)) } }
      await never()
      timer.cancel()
    }
    try assertSays(report, "The closure would never return", "A task slept for 100 ms")
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(5))
  }

  @MainActor
  func test_C96_whatATimerOutsideResumesIsSaid() async throws {
    let timer = DispatchSource.makeTimerSource()
    let ticks = Channel<Void>()
    timer.setEventHandler { @Sendable [inlet = ticks.inlet] in inlet.send() }
    timer.schedule(deadline: .now(), repeating: .milliseconds(10))
    defer { timer.cancel() }
    timer.resume()
    let run = TestRun(.asReady, stepLimit: 10_000, at: SourceLocation(fileID: #fileID, line: 1))
    run.patienceWithOthers = (.milliseconds(300), .milliseconds(600))
    var printed: [String] = []
    run.print = { printed.append($0) }
    var report = "It passed."
    do {
      try await run.run(
        LentBody { _ in
          let token = ticks.outlet.observe { await Task.yield() }
          await never()
          token.cancel()
        })
    } catch { report = "\(error)" }
    try assertSays(
      report, "The closure would never return", "Something outside has resumed its tasks ",
      "times meanwhile: it fails after 0.6 seconds.", "- Such a task is in ")
    XCTAssertEqual(printed.count, 1)
    try assertSays(
      printed.joined(), "WaitingForEverTests.swift:1: The closure of withTestTime waits.",
      "- Such a task is in ")
  }

  @MainActor
  func test_C96_aLoopThatAsksForIdleIsSaid() async throws {
    let report = await failure { time in while !Task.isCancelled { await time.idle() } }
    try assertSays(report, "The closure waited again and again until no task had anything left")
  }

  @MainActor
  func test_C96_whoWaitsForIdleWhenTheClosureReturnsIsResumed() async throws {
    let waiting = Locked<Task<Void, Never>?>(nil)
    try await withTestTime { time in
      let task = Task.immediate { await time.idle() }
      waiting.withLock { $0 = task }
    }
    let task = waiting.withLock { $0 }
    try await within { await task?.value }
  }

  @MainActor
  func test_C96_aTaskThatWasMadeBeforeIsSaid() async throws {
    let channel = Channel<Int>()
    let log = Log()
    let before = Task.detached { for await number in channel.outlet { await log.add("\(number)") } }
    while channel.subscriberCount == 0 { await Task.yield() }
    try await Task.sleep(for: .milliseconds(20))
    let report = await failure { time in
      channel.send(1)
      await time.idle()
    }
    try assertSays(
      report,
      "A task or an observer that was made before the closure of withTestTime began was woken in it."
    )
    before.cancel()
  }

  @MainActor
  func test_C96_whoLeftWhatIsWokenIsSaid() async throws {
    let (shared, tokens) = (CurrentValue(0), Record<CancellationToken>())
    for isTask in [false, true] {
      let line = #line + 1 as UInt
      try await withTestTime { time in
        if isTask {
          tokens.add(Follower(shared.outlet.outlet).start())
        } else {
          tokens.add(shared.outlet.observe { _ in })
        }
        await time.idle()
      }
      let report = await failure { time in
        shared.value += 1
        await time.idle()
      }
      try assertSays(
        report,
        "woken in it. The closure of WaitingForEverTests.swift:\(line) has left it: cancel there")
      for token in tokens.take() { token.cancel() }
    }
  }

  /// Neither its tasks nor its observers run in the time of another.
  @MainActor
  func test_C96_whatAnAbandonedTestHasLeftDisturbsNone() async throws {
    let (shared, tokens) = (CurrentValue(0), Record<CancellationToken>())
    var seen = 0
    let report = await failure { time in
      tokens.add(shared.outlet.observe { _ in seen += 1 })
      tokens.add(Follower(shared.outlet.outlet).start())
      await time.idle()
      await never()
    }
    try assertSays(report, "and is abandoned.")
    try await withTestTime { time in
      shared.value = 1
      await time.idle()
    }
    XCTAssertEqual(seen, 1)
  }

  @MainActor
  func test_C96_oneCallInsideAnotherIsRefused() async throws {
    let report = await failure { _ in try await withTestTime { _ in } }
    try assertSays(report, "withTestTime in the closure of another would wait for itself.")
  }

  @MainActor
  func test_C96_aTimerWithoutEndIsSaid() async throws {
    let report = await failure(stepLimit: 100) { time in
      let timer = Task { while true { try await time.clock.sleep(for: .seconds(1)) } }
      await time.run()
      timer.cancel()
    }
    try assertSays(report, "TestTime.run() gave up at 1000.0 seconds: after 1000 deadlines")
  }

  @MainActor
  private func failure(
    stepLimit: Int = 10_000, of test: (TestTime) async throws -> Void
  ) async -> String {
    let start = ContinuousClock.now
    do {
      try await withTestTime(stepLimit: stepLimit, test)
      return "It passed."
    } catch {
      // A busy machine may take its time; without one it is a second.
      XCTAssertLessThan(ContinuousClock.now - start, .seconds(40))
      return "\(error)"
    }
  }

  private func assertSays(_ report: String, _ parts: String..., line: UInt = #line) throws {
    for part in parts where !report.contains(part) {
      XCTFail("\"\(part)\" is not in: \(report)", line: line)
    }
  }
}

private func never() async {
  await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
}

@MainActor
private final class Follower: ViewModel {
  private let numbers: Outlet<Int>

  init(_ numbers: Outlet<Int>) { self.numbers = numbers }

  func run() async { for await _ in numbers {} }
}

@MainActor
private final class Model: ViewModel {
  @Input var go: Inlet<Int>
  @CurrentValue private(set) var count = 0
  private let clock: TestClock

  init(_ clock: TestClock) { self.clock = clock }

  func run() async {
    await _go.received.answer(
      .latestOnly, debounce: .seconds(1), clock: clock, by: { $0 }, publish: { self.count = $1 })
  }
}
