import Foundation
import Observation
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// C51: one thread writes, and the job on the main actor tells of what it wrote before.
final class ObservationToldOnceTests: XCTestCase {
  @MainActor
  func test_C51f_oneWriterAndTheJobDoNotTellSimultaneously() async throws {
    let counter = Rendering()
    counter.render()
    let number = counter.number
    let writer = Task.detached {
      for turn in 0..<100_000 {
        number.value = turn
        // So that the job meets writes at all stages.
        for _ in 0..<turn % 97 { _ = number.subscriberCount }
      }
    }
    await writer.value
    for _ in 0..<5 { await oneTurnOfTheMainActor() }
    XCTAssertGreaterThan(counter.registrations, 10)
    // Observation itself may tell one that is being installed while a thread tells: beside 100 busy threads, up to one
    // in 350. If the job told simultaneously, it would be one in 120 to one in 10.
    let toldTwice = counter.toldTwice.load(ordering: .relaxed)
    XCTAssertLessThanOrEqual(toldTwice, 2 + counter.registrations / 200)
    XCTAssertEqual(counter.seen, 99_999)
  }

  /// The observer has missed a write, so the job tells it. While the job does, the thread that reads writes once more.
  @MainActor
  func test_C51f_anObserverThatTheJobTellsIsNotToldByAWriterToo() async throws {
    let (number, told) = (CurrentValue(0), Record<Void>())
    let isInstalled = DispatchSemaphore(value: 0)
    let (isTold, isWritten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    // The main actor is this function's until the observer is installed, so the job is still to come.
    func install() {
      Thread.detachNewThread {
        withObservationTracking {
          _ = number.value
          onAnotherThread { number.value = 1 }
        } onChange: {
          told.add(())
          if told.count > 1 { return }
          isTold.signal()
          isWritten.wait()
        }
        isInstalled.signal()
        isTold.wait()
        number.value = 2
        isWritten.signal()
      }
      isInstalled.wait()
      XCTAssertEqual(told.count, 0)
    }
    install()
    for _ in 0..<3 { await oneTurnOfTheMainActor() }
    XCTAssertEqual(told.count, 1)
  }

  private func oneTurnOfTheMainActor() async {
    await Task.detached { @MainActor in }.value
  }
}

@MainActor
private final class Rendering {
  nonisolated let number = CurrentValue(0)
  /// Registrations whose closure was called more than once.
  let toldTwice = Atomic(0)
  private(set) var registrations = 0
  private(set) var seen = 0

  func render() {
    registrations += 1
    let calls = Calls()
    withObservationTracking {
      seen = number.value
    } onChange: { [self] in
      switch calls.count.add(1, ordering: .relaxed).newValue {
      case 1: Task { @MainActor in render() }
      case 2: toldTwice.add(1, ordering: .relaxed)
      default: break
      }
    }
  }

  private final class Calls: Sendable {
    let count = Atomic(0)
  }
}
