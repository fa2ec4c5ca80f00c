import Observation
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// Several values that are changed in one step.
final class UpdateTogetherTests: XCTestCase {
  private struct Refused: Error {}

  private let (savings, account) = (CurrentValue(100), CurrentValue(0))

  func test_C141a_allValuesAreStored() {
    let total = StateOutlet.combine(savings.outlet, account.outlet).map { $0 + $1 }
    let (each, sum) = (account.outlet.subscribe(), total.subscribe())
    let moved = updateTogether(savings, account) { savings, account in
      savings -= 30
      account += 30
      return account
    }
    XCTAssertEqual(moved, 30)
    XCTAssertEqual([savings.value, account.value, total.value], [70, 30, 100])
    XCTAssertEqual([each.takeNow().element, each.takeNow().element], [0, 30])
    XCTAssertEqual(sum.takeNow().element, 100)
  }

  func test_C141b_ifItThrowsNothingHasChanged() {
    let follower = savings.outlet.subscribe()
    XCTAssertThrowsError(
      try updateTogether(savings, account) { savings, account in
        (savings, account) = (0, 0)
        throw Refused()
      })
    XCTAssertEqual([savings.value, account.value], [100, 0])
    savings.value = 1
    XCTAssertEqual([follower.takeNow().element, follower.takeNow().element], [100, 1])
  }

  func test_C141a_aFinishedValueDoesNotChange() {
    account.finish()
    updateTogether(savings, account) { ($0, $1) = (1, 2) }
    XCTAssertEqual([savings.value, account.value], [1, 0])
  }

  /// Readers and followers on other threads see all of a step or nothing, also if a closure takes its time.
  func test_C141a_nobodySeesAHalf() async throws {
    let rest = (0..<3).map { _ in CurrentValue(0) }
    let all = StateOutlet.combine([savings.outlet, account.outlet] + rest.map(\.outlet))
    let total = all.map { $0.reduce(0, +) }.removeDuplicates()
    let isOver = Atomic(0)
    let wrong = Record<Int>()
    let followed = Task { try await total.collect() }
    try await onThreads(4) { [savings, account] thread in
      if thread < 2 {
        for number in 0..<Length.rounds(50_000) {
          let other = rest[number % 3]
          // In both orders.
          if thread == 0 {
            updateTogether(savings, other) { ($0, $1) = ($0 - 1, $1 + 1) }
          } else {
            updateTogether(other, account, savings) { ($0, $1, $2) = ($0 - 2, $1 + 1, $2 + 1) }
          }
        }
        isOver.add(1, ordering: .releasing)
      } else {
        while isOver.load(ordering: .acquiring) < 2 {
          let value = total.value
          if value != 100 { wrong.add(value) }
        }
      }
    }
    for state in rest + [savings, account] { state.finish() }
    XCTAssertEqual(wrong.count, 0, "\(wrong.events.prefix(3))")
    let seen = try await within { try await followed.value }
    XCTAssertEqual(Set(seen), [100])
  }

  func test_C141b_aSleepingFollowerIsWokenOnceWhenAllAreStored() async throws {
    let both = StateOutlet.combine(savings.outlet, account.outlet).map { [$0, $1] }
    let (got, stage) = (Record<[Int]>(), Stage())
    let jobs = Atomic(0)
    func follow(on stage: isolated Stage) async { for await values in both { got.add(values) } }
    let hasEnded = Record<Void>()
    Task {
      await follow(on: stage)
      hasEnded.add(())
    }
    try await stage.drain(until: "asleep") { [savings, account] in
      got.count == 1 && savings.log.sleeperCount + account.log.sleeperCount == 2
    }
    updateTogether(savings, account) { ($0, $1) = (1, 2) }
    try await until("asleep again") { [savings, account] in
      while stage.runOne() { jobs.add(1, ordering: .relaxed) }
      return got.count == 2 && savings.log.sleeperCount + account.log.sleeperCount == 2
    }
    XCTAssertEqual(jobs.load(ordering: .relaxed), 1)
    savings.finish()
    account.finish()
    try await stage.drain(until: "ended") { hasEnded.count == 1 }
    XCTAssertEqual(got.events, [[100, 0], [1, 2]])
  }

  @MainActor
  func test_C141b_oneRegistrationIsToldOnce() {
    let tellings = Atomic(0)
    withObservationTracking {
      _ = (savings.value, account.value)
    } onChange: {
      tellings.add(1, ordering: .relaxed)
    }
    updateTogether(savings, account) { ($0, $1) = (1, 2) }
    XCTAssertEqual(tellings.load(ordering: .relaxed), 1)
  }

  /// What is replaced, and what is thrown away, is destroyed with no lock held: its `deinit` may read the values.
  func test_C141b_whatIsReplacedIsDestroyedWithNoLockHeld() {
    final class Reading: Sendable {
      let state: CurrentValue<Int>
      init(_ state: CurrentValue<Int>) { self.state = state }
      deinit { state.value += 1 }
    }
    let objects = CurrentValue<Reading?>(Reading(savings))
    updateTogether(objects, savings) { ($0, $1) = (nil, 5) }
    XCTAssertEqual(savings.value, 6)
    try? updateTogether(objects, savings) { object, number in
      (object, number) = (Reading(savings), 8)
      throw Refused()
    }
    XCTAssertEqual(savings.value, 7)
  }

  func test_C141c_crossingOnesEnd() async throws {
    try await onThreads(4) { [savings, account] thread in
      for _ in 0..<Length.rounds(50_000) {
        if thread % 2 == 0 {
          updateTogether(savings, account) { swap(&$0, &$1) }
        } else {
          updateTogether(account, savings) { swap(&$0, &$1) }
        }
      }
    }
    XCTAssertEqual([savings.value, account.value].sorted(), [0, 100])
  }
}
