import AsyncChannelsRecording
import Dispatch
import TestSupport
import XCTest

@testable import AsyncChannels

/// What a subscriber finds is C10's first half, in ReplayTests; what traps is in ProgrammerErrorTests.
final class CurrentValueUpdateTests: XCTestCase {
  func test_C10_readingRightAfterWritingGivesWhatWasWritten() async throws {
    let number = CurrentValue(0)
    for written in 1...100 {
      number.value = written
      XCTAssertEqual(number.value, written)
      number.inlet.send(-written)
      XCTAssertEqual(number.wrappedValue, -written)
      XCTAssertEqual(number.update { $0 * 2 }, -written * 2)
      XCTAssertEqual(number.value, -written, "reading it in an update has changed it")
    }
  }

  func test_C10_readingAndSubscribingDoNotWaitForARunningUpdate() async throws {
    let number = CurrentValue(1)
    let isUpdating = Gate()
    let goOn = DispatchSemaphore(value: 0)
    // A thread of its own: the cooperative pool is not for blocking.
    let updating = Gate()
    DispatchQueue(label: "updating").async {
      number.update { number in
        isUpdating.open()
        goOn.wait()
        number = 2
      }
      updating.open()
    }
    defer { goOn.signal() }
    try await within { await isUpdating.pass() }
    assertEqual(try await within { number.value }, 1)
    assertEqual(try await within { try await number.outlet.subscribe().take(1) }, [1])
    goOn.signal()
    try await within { await updating.pass() }
    XCTAssertEqual(number.value, 2)
  }

  func test_C10_anotherThreadsWriteWaitsForARunningUpdate() async throws {
    let writers: [@Sendable (CurrentValue<Int>) -> Void] = [
      { $0.value = 12 }, { $0.wrappedValue = 12 }, { $0.inlet.send(12) },
      { $0.update { $0 += 10 } },
    ]
    for (write, isRecorded) in writers.flatMap({ [($0, false), ($0, true)] }) {
      let number = CurrentValue(1)
      let recording = Recording()
      if isRecorded { recording.add(number, as: "number") }
      let published = number.outlet.subscribe()
      let isUpdating = Gate()
      let isWriting = Gate()
      let goOn = DispatchSemaphore(value: 0)
      DispatchQueue(label: "updating").async {
        number.update { number in
          isUpdating.open()
          goOn.wait()
          number += 1
        }
      }
      try await within { await isUpdating.pass() }
      DispatchQueue(label: "writing").async {
        isWriting.open()
        write(number)
      }
      try await within { await isWriting.pass() }
      // Were it not to wait, it would have the time to write here.
      for _ in 0..<100 { await Task.yield() }
      goOn.signal()
      assertEqual(try await published.take(3), [1, 2, 12])
    }
  }

  func test_C10_anInletThatUpdatesLosesNoConcurrentUpdate() async throws {
    let sum = CurrentValue(0)
    let add = sum.inlet { (sum, number: Int) in sum += number }
    let last = sum.outlet.subscribe(buffering: .bufferingNewest(1))
    XCTAssertEqual(add.send(1), .sent(subscribers: 1))
    DispatchQueue.concurrentPerform(iterations: 1000) { number in add.send(number) }
    XCTAssertEqual(sum.value, 1 + 999 * 1000 / 2)
    assertEqual(try await last.take(1), [sum.value])
    sum.finish()
    XCTAssertEqual(add.send(5), .finished(5))
    XCTAssertEqual(sum.value, 1 + 999 * 1000 / 2)
  }

  func test_C24_aFinishedValueCanBeReadAndNoLongerChanges() async throws {
    let number = CurrentValue(1)
    number.finish()
    number.value = 2
    XCTAssertEqual(number.inlet.send(3), .finished(3))
    XCTAssertEqual(
      number.update { number in
        number += 10
        return number
      }, 11)
    XCTAssertEqual(number.value, 1)
    assertEqual(try await number.outlet.collect(), [])
  }

  func test_C26_theInletOfAValueThatIsGoneIsFinished() async throws {
    var number = Optional(CurrentValue(1))
    let inlet = number?.inlet
    let add = number?.inlet { (number, difference: Int) in number += difference }
    weak let sameNumber = number
    let subscription = number?.outlet.subscribe()
    XCTAssertEqual(inlet?.send(2), .sent(subscribers: 1))
    number = nil
    XCTAssertNil(sameNumber)
    XCTAssertEqual(inlet?.send(3), .finished(3))
    XCTAssertEqual(add?.send(4), .finished(4))
    assertEqual(try await subscription?.collect(), [1, 2])
  }
}
