import AsyncChannelsRunning
import AsyncChannelsTesting
import Foundation
import TestSupport
import XCTest

/// Work that causes itself is found, whatever it goes through, and named.
final class EndlessLoopsTests: XCTestCase {
  /// The usual one, at full length.
  private static let stepLimit = Length.isFull ? 10_000 : 200

  /// Each way to follow something, times each thing that can be followed, to itself and through a channel.
  @MainActor
  func test_C123_aLoopOfEachKindIsNamed() async throws {
    let kinds = Circles.Source.allCases.flatMap { source in
      Circles.Follower.allCases.flatMap { follower in
        [false, true].map { (source: source, follower: follower, isIndirect: $0) }
      }
    }
    XCTAssertGreaterThanOrEqual(kinds.count, 100)
    var (longest, slowest) = (0, "")
    let tried = Length.sample(kinds, 0, of: 11)
    for (source, follower, isIndirect) in tried {
      let start = clock()
      let report = await failure(stepLimit: Self.stepLimit) { time in
        let circles = Circles(source, follower, isIndirect: isIndirect)
        await withRunning(circles) {
          await time.idle()
          circles.begin()
          await time.idle()
        }
      }
      let time = clock() - start
      let kind = "\(source), \(follower), indirect: \(isIndirect)"
      if time > longest { (longest, slowest) = (time, kind) }
      var parts = ["Work causes itself: ", "Circles.\(source.name)", "What happened last:"]
      // An observer has no task.
      if isIndirect || !follower.hasNoTask { parts.append("- The loop is in ") }
      for part in parts where !report.contains(part) {
        XCTFail("\(kind): \"\(part)\" is not in: \(report)")
      }
      XCTAssertFalse(report.contains("Nothing was recorded"), kind)
      XCTAssertFalse(report.contains("is abandoned"), kind)
    }
    // Of the process, since others may use the machine. Nothing else runs in it.
    let milliseconds = longest / 1_000
    print("\(tried.count) kinds of loops; the longest, \(slowest), took \(milliseconds) ms")
    XCTAssertLessThan(longest, 2_000_000)
  }

  @MainActor
  func test_C123_theTaskAndThePlaceAreNamed() async throws {
    let report = await failure(stepLimit: 1_000) { time in
      let spinner = Spinner()
      await withRunning(spinner) { await time.idle() }
    }
    assertSays(
      report, "EndlessLoopsTests.swift:",
      "Work causes itself: Spinner.count is sent to because of what was sent to it before. 1000 steps have followed",
      "- The loop is in ", "Spinner.run", "What happened last:", "count")
  }

  @MainActor
  func test_C123_aLoopThroughTwoViewModelsIsNamed() async throws {
    let report = await failure(stepLimit: 1_000) { time in
      let (one, other) = (Half(), Half())
      (one.other, other.other) = (other.$value, one.$value)
      await withRunning(one, other) { await time.idle() }
    }
    assertSays(
      report, "Work causes itself: what is sent goes round, through Half.value and Half.other")
  }

  @MainActor
  func test_C123_aLoopOfRowsIsNamed() async throws {
    let report = await failure(stepLimit: 1_000) { time in
      let rows = Rows()
      await withRunning(rows) { await time.idle() }
    }
    assertSays(report, "Work causes itself: ", "Rows.ids")
  }

  @MainActor
  func test_C123_aLoopOfTheTestItselfIsNamed() async throws {
    let report = await failure(stepLimit: 100) { _ in
      let numbers = Channel<Int>()
      let subscription = numbers.outlet.subscribe()
      numbers.send(0)
      while let number = await subscription.next() { numbers.send(number + 1) }
    }
    assertSays(report, "Work causes itself: a Channel<Int> is sent to")
  }

  @MainActor
  func test_C123_tasksThatMakeTasksAreFound() async throws {
    @Sendable func again() { Task { again() } }
    let report = await failure { time in
      again()
      await time.idle()
    }
    assertSays(report, "Work causes itself: tasks make tasks.")
  }

  @MainActor
  func test_C123_tasksThatWaitByYieldingAreNamed() async throws {
    let report = await failure(stepLimit: 1_000) { time in
      let task = Task { await poll() }
      await time.idle()
      task.cancel()
    }
    assertSays(
      report, "Some tasks always called Task.yield(), at least 5000 times, while",
      "- A task that is ready is in poll")
  }

  /// A million jobs, of three consumers that yield once for each element, end. Or a fiftieth, at a fiftieth of the limit.
  @MainActor
  func test_C123_muchWorkThatEndsIsNoLoop() async throws {
    var seen = 0
    let count = Length.isFull ? 100_000 : 2_000
    try await withTestTime(stepLimit: count / 10) { time in
      let numbers = Channel<Int>()
      var tokens: Set<CancellationToken> = []
      for _ in 0..<3 {
        numbers.outlet.observe { _ in
          await Task.yield()
          seen += 1
        }.store(in: &tokens)
      }
      for number in 0..<count { numbers.send(number) }
      await time.idle()
    }
    XCTAssertEqual(seen, 3 * count)
  }

  @MainActor
  func test_C123_aLongChainThatEndsIsALimitThatCanBeRaised() async throws {
    try await withTestTime(stepLimit: 13_000) { time in
      let spinner = Spinner(last: 11_000)
      await withRunning(spinner) { await time.idle() }
      XCTAssertEqual(spinner.count, 11_000)
    }
  }

  /// The clock moves, so it is no loop without an end.
  @MainActor
  func test_C123_aTimerIsNoLoop() async throws {
    try await withTestTime(stepLimit: 100) { time in
      let ticker = Ticker(time.clock)
      await withRunning(ticker) {
        await time.advance(by: .seconds(1_000))
        XCTAssertEqual(ticker.count, 1_000)
      }
    }
  }

  /// The script sends because of what it took, as often as it likes.
  @MainActor
  func test_C123_aScriptIsNoLoop() async throws {
    try await withTestTime(stepLimit: 100) { time in
      let echo = Echo()
      try await withRunning(echo) {
        let answers = Probe(echo.answers)
        for number in 0..<300 {
          echo.ask.send(number)
          try await answers.expect(number)
        }
      }
    }
  }
}

@MainActor
private func failure(
  stepLimit: Int = 10_000, of test: (TestTime) async throws -> Void
) async -> String {
  do {
    try await withTestTime(stepLimit: stepLimit) { try await test($0) }
    return "It passed."
  } catch {
    return "\(error)"
  }
}

private func assertSays(_ report: String, _ parts: String..., line: UInt = #line) {
  for part in parts where !report.contains(part) {
    XCTFail("\"\(part)\" is not in: \(report)", line: line)
  }
}

private func poll() async {
  while !Task.isCancelled { await Task.yield() }
}

@MainActor
private final class Spinner: ViewModel {
  @CurrentValue private(set) var count = 0
  private let last: Int

  init(last: Int = .max) { self.last = last }

  func run() async {
    for await number in $count where number < last { count = number + 1 }
  }
}

@MainActor
private final class Half: ViewModel {
  @CurrentValue private(set) var value = 0
  var other: StateOutlet<Int>?

  func run() async {
    guard let other else { return }
    for await number in other { value = number + 1 }
  }
}

@MainActor
private final class Rows: ViewModel {
  @CurrentValue private(set) var ids = [0]

  func run() async {
    await $ids.runEach(by: { $0 }) { @MainActor id in self.ids = [id + 1] }
  }
}

@MainActor
private final class Ticker: ViewModel {
  @CurrentValue private(set) var count = 0
  private let clock: TestClock

  init(_ clock: TestClock) { self.clock = clock }

  func run() async {
    for await number in $count {
      try? await clock.sleep(for: .seconds(1))
      if !Task.isCancelled { count = number + 1 }
    }
  }
}

@MainActor
private final class Echo: ViewModel {
  @Input var ask: Inlet<Int>
  @Output var answers: Outlet<Int>

  func run() async {
    for await number in _ask.received { _answers.send(number) }
  }
}

/// Follows something, and sends to it what it makes of that.
@MainActor
private final class Circles: ViewModel {
  enum Source: CaseIterable {
    case state, channel, derivedState, mergedState, derivedOutlet, filtered

    var isDerived: Bool { self != .state && self != .channel }

    var name: String {
      switch self {
      case .state, .derivedState, .mergedState: "state"
      case .channel, .derivedOutlet, .filtered: "channel"
      }
    }
  }

  enum Follower: CaseIterable {
    case loop, loopElsewhere, loopOnAnActor, next, bind, observer, suspendingObserver,
      newestObserver
    case answer, latestOnly, firstOnly, concurrent

    var hasNoTask: Bool { self == .observer || self == .newestObserver }
  }

  @CurrentValue private var state = 0
  @CurrentValue private var otherState = 0
  private let channel = Channel<Int>()
  private let between = Channel<Int>()
  private let source: Source
  private let follower: Follower
  private let isIndirect: Bool

  init(_ source: Source, _ follower: Follower, isIndirect: Bool) {
    (self.source, self.follower, self.isIndirect) = (source, follower, isIndirect)
  }

  func begin() { inlet.send(1) }

  private var inlet: Inlet<Int> {
    switch source.name {
    case "state": _state.inlet
    default: channel.inlet
    }
  }

  private var outlet: Outlet<Int> {
    switch source {
    case .state: $state.outlet
    case .channel: channel.outlet
    case .derivedState: $state.map { $0 + 1 }.outlet
    case .mergedState: StateOutlet.combine($state, $otherState).map { $0.0 + $0.1 }.outlet
    case .derivedOutlet: channel.outlet.map { $0 + 1 }
    case .filtered: channel.outlet.filter { $0 > 0 }
    }
  }

  func run() async {
    let (outlet, inlet) = (outlet, inlet)
    guard isIndirect else { return await follow(outlet, inlet) }
    let (between, arriving) = (between.inlet, between.outlet.subscribe())
    await together(
      { await self.follow(outlet, between) },
      { for await number in arriving { inlet.send(number) } })
  }

  private func follow(_ outlet: Outlet<Int>, _ inlet: Inlet<Int>) async {
    switch follower {
    case .loop: for await number in outlet { inlet.send(number + 1) }
    case .loopElsewhere: await loop(outlet, inlet)
    case .loopOnAnActor: await Looper().loop(outlet, inlet)
    case .next:
      let subscription = outlet.subscribe()
      while let number = await subscription.next() { inlet.send(number + 1) }
    case .bind: await outlet.map { $0 + 1 }.bind(to: inlet)
    case .observer: await keep(outlet.observe { inlet.send($0 + 1) })
    case .suspendingObserver:
      await keep(
        outlet.observe { number in
          await Task.yield()
          inlet.send(number + 1)
        })
    case .newestObserver:
      await keep(outlet.observe(buffering: .bufferingNewest(1)) { inlet.send($0 + 1) })
    case .answer: await outlet.answer(by: { $0 + 1 }) { inlet.send($1) }
    case .latestOnly: await outlet.answer(.latestOnly, by: { $0 + 1 }) { inlet.send($1) }
    case .firstOnly: await outlet.answer(.firstOnly, by: { $0 + 1 }) { inlet.send($1) }
    case .concurrent: await outlet.answer(.concurrent, by: { $0 + 1 }) { inlet.send($1) }
    }
  }

  private func keep(_ token: CancellationToken) async {
    let nothing = Channel<Void>()
    for await _ in nothing.outlet {}
    withExtendedLifetime(token) {}
  }
}

@concurrent
private func loop(_ outlet: Outlet<Int>, _ inlet: Inlet<Int>) async {
  for await number in outlet { inlet.send(number + 1) }
}

private actor Looper {
  func loop(_ outlet: Outlet<Int>, _ inlet: Inlet<Int>) async {
    for await number in outlet { inlet.send(number + 1) }
  }
}
