import Dispatch
import XCTest

@testable import AsyncChannels

/// What a subscriber finds is C10's first half, in ReplayTests; what traps is in ProgrammerErrorTests.
final class CurrentValueTests: XCTestCase {
  func test_C10_updateLosesNoConcurrentUpdateAndPublishesEachInOrder() async throws {
    let count = CurrentValue(0)
    let published = count.outlet.subscribe()
    let results = Record<Int>()
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<2_000 {
            results.add(
              count.update { count in
                count += 1
                return count
              })
          }
        }
      }
    }
    XCTAssertEqual(count.value, 8_000)
    count.finish()
    let values = try await published.collect()
    XCTAssertEqual(values, Array(0...8_000))
    XCTAssertEqual(results.events.sorted(), Array(1...8_000))
  }

  func test_C10_noWriteComesBetweenTheReadingAndTheWritingOfAnUpdate() async throws {
    // Writers of every kind write multiples of ten; an update that reads one writes its successor.
    let number = CurrentValue(0)
    let published = number.outlet.subscribe()
    await withTaskGroup { group in
      group.addTask { for tens in 1...2_000 { number.value = tens * 10 } }
      group.addTask { for tens in 2_001...4_000 { number.inlet.send(tens * 10) } }
      group.addTask { for _ in 0..<2_000 { number.update { $0 += 1 } } }
    }
    number.finish()
    let values = try await published.collect()
    XCTAssertEqual(values.count, 6_001)
    for (before, after) in zip(values, values.dropFirst()) {
      XCTAssert(after == before + 1 || after.isMultiple(of: 10), "\(after) after \(before)")
    }
  }

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

  func test_C10_anUpdateThatThrowsChangesAndPublishesNothing() async throws {
    struct Refused: Error {}
    let names = CurrentValue(["a"])
    let published = names.outlet.subscribe()
    XCTAssertThrowsError(
      try names.update { names in
        names.append("b")
        throw Refused()
      })
    XCTAssertEqual(names.value, ["a"])
    names.update { $0.append("c") }
    names.finish()
    let values = try await published.collect()
    XCTAssertEqual(values, [["a"], ["a", "c"]])
  }

  func test_C10_whatIsPublishedIsAlreadyStored() async throws {
    let number = CurrentValue(0)
    let consumer = Task { () -> String? in
      for await published in number.outlet {
        let stored = number.value
        guard stored >= published else { return "\(stored) is stored, \(published) published" }
        if published == 2_000 { break }
      }
      return nil
    }
    for written in 1...2_000 {
      if written.isMultiple(of: 2) { number.value = written } else { number.update { $0 += 1 } }
      if written.isMultiple(of: 50) { await Task.yield() }
    }
    let fault = try await within { await consumer.value }
    XCTAssertNil(fault)
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
    let read = try await within { number.value }
    XCTAssertEqual(read, 1)
    let first = try await within { try await number.outlet.subscribe().take(1) }
    XCTAssertEqual(first, [1])
    goOn.signal()
    try await within { await updating.pass() }
    XCTAssertEqual(number.value, 2)
  }

  func test_C10_anotherThreadsWriteWaitsForARunningUpdate() async throws {
    let writers: [@Sendable (CurrentValue<Int>) -> Void] = [
      { $0.value = 12 }, { $0.wrappedValue = 12 }, { $0.inlet.send(12) },
      { $0.update { $0 += 10 } },
    ]
    for write in writers {
      let number = CurrentValue(1)
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
      let values = try await published.take(3)
      XCTAssertEqual(values, [1, 2, 12])
    }
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
    let values = try await number.outlet.collect()
    XCTAssertEqual(values, [])
  }

  func test_C26_theInletOfAValueThatIsGoneIsFinished() async throws {
    var number = Optional(CurrentValue(1))
    let inlet = number?.inlet
    weak let sameNumber = number
    let subscription = number?.outlet.subscribe()
    XCTAssertEqual(inlet?.send(2), .sent(subscribers: 1))
    number = nil
    XCTAssertNil(sameNumber)
    XCTAssertEqual(inlet?.send(3), .finished(3))
    let values = try await subscription?.collect()
    XCTAssertEqual(values, [1, 2])
  }
}
