import Foundation
import Observation
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// C51, when others write: Observation installs an observer some time after it has read, and tells
/// nobody of what is written in between.
final class ObservationRaceTests: XCTestCase {
  @MainActor
  func test_C51c_onTheMainActorAWriteBetweenReadingAndInstallingIsTold() async throws {
    for writes in 1...5 {
      let number = CurrentValue(0)
      let found = Record<Int>()
      withObservationTracking {
        XCTAssertEqual(number.value, 0)
        onAnotherThread { for _ in 0..<writes { number.update { $0 += 1 } } }
      } onChange: {
        found.add(number.value)
      }
      XCTAssertEqual(found.events, [])
      await oneTurnOfTheMainActor()
      XCTAssertEqual(found.events, [writes])
    }
  }

  /// The same when others have written before.
  @MainActor
  func test_C51c_aWriteAfterOthersBetweenReadingAndInstallingIsToldToo() async throws {
    let number = CurrentValue(0)
    for written in 1...70 {
      let found = Record<Int>()
      withObservationTracking {
        XCTAssertEqual(number.value, written - 1)
        onAnotherThread { number.value = written }
      } onChange: {
        found.add(number.value)
      }
      XCTAssertEqual(found.events, [])
      await oneTurnOfTheMainActor()
      XCTAssertEqual(found.events, [written])
    }
  }

  /// On the same thread, too: so it depends on no thread that somebody holds up.
  @MainActor
  func test_C51d_observersElsewhereAreToldOnTheMainActor() async throws {
    let number = CurrentValue(0)
    let found = Record<Bool>()
    onAnotherThread {
      withObservationTracking {
        _ = number.value
      } onChange: {
        found.add(Thread.isMainThread)
      }
      number.value = 1
    }
    XCTAssertEqual(found.events, [])
    await oneTurnOfTheMainActor()
    XCTAssertEqual(found.events, [true])
  }

  /// 1,000 times, at full length 10,000 times, or as often as the environment's `ASYNCCHANNELS_RACES` says.
  @MainActor
  func test_C51c_nobodyOnTheMainActorKeepsAnOldValue() async throws {
    let count = ProcessInfo.processInfo.environment["ASYNCCHANNELS_RACES"].flatMap { Int($0) }
    var outdated: [Label] = []
    for batch in 0..<(count ?? Length.rounds(10_000)) / 1000 {
      let labels = (0..<1000).map { Label(seed: UInt64(batch * 1000 + $0)) }
      let meeting = Meeting()
      async let writing: Void = onThreads(1) { _ in
        for (turn, label) in labels.enumerated() {
          meeting.meet(.there, turn)
          label.write()
        }
      }
      for (turn, label) in labels.enumerated() {
        meeting.meet(.here, turn)
        label.render()
      }
      try await writing
      // One to be told again, one to render again.
      for _ in 0..<2 { await oneTurnOfTheMainActor() }
      outdated += labels.filter { $0.isOutdated }
    }
    // Should that have been too early for some.
    let deadline = ContinuousClock.now + .seconds(20)
    while outdated.contains(where: \.isOutdated), .now < deadline { await Task.yield() }
    XCTAssertEqual(outdated.filter(\.isOutdated).count, 0, "labels keep an old value")
  }

  @MainActor
  func test_C51b_onTheMainActorObserversAreToldOfEachChangeFromElsewhere() async throws {
    let number = CurrentValue(0)
    let shown = Record<Int>()
    show(number, in: shown)
    for written in 1...100 {
      onAnotherThread { number.value = written }
      // Time to be told again, and to show once more.
      for _ in 0..<3 { await oneTurnOfTheMainActor() }
      XCTAssertEqual(shown.events, Array(0...written))
    }
  }

  @MainActor
  func test_C51b_writesOnTheThreadThatReadsTellOnce() async throws {
    let number = CurrentValue(0)
    let found = Record<Int>()
    observeForEver(number, found)
    for written in 1...100 { number.value = written }
    XCTAssertEqual(found.events, Array(1...100))
    await oneTurnOfTheMainActor()
    XCTAssertEqual(found.events, Array(1...100))
  }

  @MainActor
  func test_C51b_writesOnTheThreadThatReadsTellOnceAfterAWriteFromElsewhereToo() async throws {
    let number = CurrentValue(0)
    XCTAssertEqual(number.value, 0)
    onAnotherThread { number.value = -1 }
    await oneTurnOfTheMainActor()
    let found = Record<Int>()
    observeForEver(number, found)
    for written in 1...10 {
      number.value = written
      await oneTurnOfTheMainActor()
      XCTAssertEqual(found.events, Array(1...written))
    }
  }

  @MainActor
  func test_C51b_aBurstFromElsewhereIsToldOnceInALaterTurn() async throws {
    for writes in [1, 2, 3, 64, 1000] {
      let number = CurrentValue(0)
      let shown = Record<Int>()
      show(number, in: shown)
      onAnotherThread { for written in 1...writes { number.value = written } }
      XCTAssertEqual(shown.events, [0])
      for _ in 0..<5 { await oneTurnOfTheMainActor() }
      XCTAssertEqual(shown.events, [0, writes])
    }
  }

  @MainActor
  func test_C51c_observationsOnTheMainActorEndsWithTheNewestValue() async throws {
    for _ in 0..<50 {
      let number = CurrentValue(0)
      async let writing: Void = onThreads(2) { _ in
        for _ in 0..<200 { number.update { $0 += 1 } }
      }
      let observing = Task { @MainActor in
        var last = -1
        for await value in Observations({ number.value }) {
          XCTAssertGreaterThanOrEqual(value, last)
          last = value
          if last == 400 { break }
        }
      }
      try await writing
      try await within { await observing.value }
    }
  }

  @MainActor
  func test_C25_tellingAgainDoesNotKeepTheValueAlive() async throws {
    let census = Census()
    var state: CurrentValue<Tracked>? = CurrentValue(Tracked(0, in: census))
    let told = Record<Int>()
    withObservationTracking {
      _ = state?.value
      onAnotherThread { [weak state] in state?.value = Tracked(1, in: census) }
    } onChange: {
      told.add(1)
    }
    weak let observed = state
    state = nil
    // The main actor is ours until the next `await`, so the job is still to come.
    XCTAssertNil(observed)
    XCTAssertEqual(census.count, 0)
    await oneTurnOfTheMainActor()
    XCTAssertEqual(told.events, [1])
  }
}

/// Shows each value it is told of, as a view does: it reads again in a later turn.
@MainActor
private func show(_ number: CurrentValue<Int>, in shown: Record<Int>) {
  withObservationTracking {
    shown.add(number.value)
  } onChange: {
    Task { @MainActor in show(number, in: shown) }
  }
}

/// What has been enqueued on the main actor so far is done when this returns.
private func oneTurnOfTheMainActor() async {
  await Task { @MainActor in }.value
}

/// Renders a value that another thread writes meanwhile, and again whenever it is told.
private final class Label: Sendable {
  private let number = CurrentValue(0)
  private let shown = Atomic(-1)
  private let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
  }

  var isOutdated: Bool { shown.load(ordering: .relaxed) != number.value }

  @MainActor
  func render() {
    withObservationTracking {
      linger(seed)
      shown.store(number.value, ordering: .relaxed)
      // There is more to render than this.
      linger(seed / 64)
    } onChange: { [self] in
      Task { @MainActor in render() }
    }
  }

  func write() {
    linger(seed / 4096)
    for written in 1...(seed.isMultiple(of: 4) ? 2 : 1) { number.value = written }
  }
}

/// A moment that depends on a seed, of up to a microsecond or so.
private func linger(_ seed: UInt64) {
  var sum = seed &* 0x9E37_79B9_7F4A_7C15
  for _ in 0..<(sum >> 32) % (1 << (sum >> 60)) % 1024 {
    sum = sum &* 6_364_136_223_846_793_005 &+ 1
  }
  withExtendedLifetime(sum) {}
}

/// Where two threads meet, again and again, to do something at the same instant.
private final class Meeting: Sendable {
  enum Side {
    case here, there
  }

  private let here = Atomic(0)
  private let there = Atomic(0)

  func meet(_ side: Side, _ turn: Int) {
    switch side {
    case .here: Self.meet(here, there, turn)
    case .there: Self.meet(there, here, turn)
    }
  }

  private static func meet(
    _ mine: borrowing Atomic<Int>, _ other: borrowing Atomic<Int>, _ turn: Int
  ) {
    mine.store(turn + 1, ordering: .releasing)
    var spins = 0
    while other.load(ordering: .acquiring) <= turn {
      spins += 1
      if spins > 300 { sched_yield() }
    }
  }
}
