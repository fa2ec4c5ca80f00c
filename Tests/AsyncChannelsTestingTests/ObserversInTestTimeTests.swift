import AsyncChannels
import AsyncChannelsTesting
import Foundation
import TestSupport
import XCTest

/// Observers on the main actor share turns, and a test's with nobody else's.
final class ObserversInTestTimeTests: XCTestCase {
  @MainActor
  func test_C94_idleWaitsForATurnThoughOneOfOthersIsCalled() async throws {
    let (outside, calls) = (CurrentValue(0), Record<Int>())
    let token = outside.outlet.observe { calls.add(-$0) }
    XCTAssertEqual(calls.take(), [0])
    try await withTestTime { time in
      let inside = CurrentValue(0)
      let token = inside.outlet.observe { calls.add($0) }
      // A turn of the usual line is called, and comes when the test lets others run.
      write(1, to: outside)
      inside.value = 2
      await time.idle()
      XCTAssertEqual(calls.take().filter { $0 >= 0 }, [0, 2])
      token.cancel()
    }
    try await until("called") { calls.events == [-1] || calls.count == 0 && outside.value == 1 }
    withExtendedLifetime(token) {}
  }

  @MainActor
  func test_C94_whatAThreadSendsToAnObserverIsDeliveredInTestTime() async throws {
    try await withTestTime { time in
      let (state, calls) = (CurrentValue(0), Record<Int>())
      let token = state.outlet.observe { calls.add($0) }
      write(1, to: state)
      XCTAssertEqual(calls.events, [0])
      await time.idle()
      XCTAssertEqual(calls.events, [0, 1])
      token.cancel()
      await time.idle()
      XCTAssertEqual(state.subscriberCount, 0)
    }
  }

  @MainActor
  func test_C96_anObserverThatWasMadeBeforeIsSaid() async throws {
    let state = CurrentValue(0)
    let token = state.outlet.observe { _ in }
    do {
      try await withTestTime { time in
        state.value = 1
        await time.idle()
      }
      XCTFail("It has passed.")
    } catch {
      XCTAssert("\(error)".contains("an observer that was made before the closure"), "\(error)")
    }
    token.cancel()
  }

  /// On a thread that the test does not own.
  private func write(_ number: Int, to state: CurrentValue<Int>) {
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      state.value = number
      isDone.signal()
    }
    isDone.wait()
  }
}
