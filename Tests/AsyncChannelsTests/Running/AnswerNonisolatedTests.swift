import AsyncChannelsRunning
import AsyncChannelsTesting
import Synchronization
import TestSupport
import XCTest

/// `answer` where there is no isolation that keeps its callbacks apart.
final class AnswerNonisolatedTests: XCTestCase {
  func test_publishIsCalledOneAtATimeFromNonisolatedCodeToo() async throws {
    let numbers = Channel<Int>()
    let received = numbers.outlet.subscribe()
    for number in 0..<20_000 { numbers.send(number) }
    numbers.finish()
    let inside = Atomic(0)
    let most = Atomic(0)
    let count = Atomic(0)
    try await within(.seconds(30)) {
      await received.answer(.concurrent) {
        $0
      } publish: { _, _ in
        let now = inside.add(1, ordering: .sequentiallyConsistent).newValue
        most.max(now, ordering: .sequentiallyConsistent)
        count.add(1, ordering: .sequentiallyConsistent)
        inside.subtract(1, ordering: .sequentiallyConsistent)
      }
    }
    XCTAssertEqual(count.load(ordering: .sequentiallyConsistent), 20_000)
    XCTAssertEqual(most.load(ordering: .sequentiallyConsistent), 1, "calls at once")
  }

  /// While an answer is published, the work on what `publish` has sent returns on another thread.
  func test_publishIsCalledOneAtATimeThoughNoElementWaitsForTheAnswer() async throws {
    let (numbers, last) = (Channel<Int>(), 1_000)
    let received = numbers.outlet.subscribe()
    let worked = Atomic(0)
    let inside = Atomic(0)
    let most = Atomic(0)
    numbers.send(1)
    try await within(.seconds(30)) {
      await received.answer(.latestOnly) { number in
        worked.store(number, ordering: .sequentiallyConsistent)
        return number
      } publish: { _, number in
        let now = inside.add(1, ordering: .sequentiallyConsistent).newValue
        most.max(now, ordering: .sequentiallyConsistent)
        if number == last { numbers.finish() } else { numbers.send(number + 1) }
        // If there is no other thread, this ends all the same.
        var looks = number == last ? 0 : 10_000
        while looks > 0 {
          let isNextDone = worked.load(ordering: .sequentiallyConsistent) > number
          looks = isNextDone ? min(looks, 1_000) - 1 : looks - 1
        }
        inside.subtract(1, ordering: .sequentiallyConsistent)
      }
    }
    XCTAssertEqual(worked.load(ordering: .sequentiallyConsistent), last)
    XCTAssertEqual(most.load(ordering: .sequentiallyConsistent), 1, "calls at once")
  }

  func test_C79f_busyIsSaidInOrderFromNonisolatedCodeToo() async throws {
    for overlap in Overlap.allCases { try await busyIsSaidInOrder(overlap) }
  }

  private func busyIsSaidInOrder(_ overlap: Overlap) async throws {
    let numbers = Channel<Int>()
    let received = numbers.outlet.subscribe()
    let said = Channel<Bool>()
    let heard = said.outlet.subscribe()
    try await within(.seconds(30)) {
      await withDiscardingTaskGroup { group in
        group.addTask {
          await received.answer(
            OverlapRule(overlap), busy: said.inlet, by: { $0 }, publish: { _, _ in })
        }
        for number in 0..<Length.rounds(50_000) {
          numbers.send(number)
          if number.isMultiple(of: 3) { await Task.yield() }
        }
        numbers.finish()
      }
    }
    said.finish()
    var isBusy = false
    for await nowBusy in heard {
      XCTAssertNotEqual(nowBusy, isBusy)
      isBusy = nowBusy
    }
    XCTAssertFalse(isBusy)
  }

  /// Work ends, and its answer is to be published, before the loop has looked at what was sent meanwhile.
  func test_C100_noAnswerIsPublishedWhenANewerElementWasSentAndIsNotSeenYet() async throws {
    try await withTestTime { time in
      let numbers = Channel<Int>()
      let received = numbers.outlet.subscribe()
      let published = Record<Int>()
      let run = Task.detached {
        await received.answer(.latestOnly, debounce: .seconds(1), clock: time.clock) { number in
          if number == 1 { numbers.send(2) }
          return number
        } publish: {
          published.add($1)
        }
      }
      numbers.send(1)
      await time.advance(by: .seconds(1))
      XCTAssertEqual(published.events, [])
      await time.advance(by: .seconds(1))
      XCTAssertEqual(published.events, [2])
      run.cancel()
    }
  }

  /// Superseded work that goes on must not publish, and the call waits for it all the same.
  func test_noOlderAnswerIsPublishedAfterANewerOneAndTheCallWaitsForAllWork() async throws {
    for round in 0..<300 {
      let numbers = Channel<Int>()
      let received = numbers.outlet.subscribe()
      let published = Record<Int>()
      let working = Atomic(0)
      let run = Task.detached {
        await received.answer(.latestOnly) { number in
          working.add(1, ordering: .relaxed)
          for _ in 0..<((number * 7 + round) % 5) { await Task.yield() }
          working.subtract(1, ordering: .relaxed)
          return number
        } publish: {
          published.add($1)
        }
        XCTAssertEqual(working.load(ordering: .relaxed), 0, "round \(round)")
      }
      for number in 0..<20 {
        numbers.send(number)
        if number % 3 == round % 3 { await Task.yield() }
      }
      if round.isMultiple(of: 2) { run.cancel() } else { numbers.finish() }
      try await within { await run.value }
      XCTAssertEqual(published.events, published.events.sorted(), "round \(round)")
      XCTAssertEqual(Set(published.events).count, published.count, "round \(round)")
      if !round.isMultiple(of: 2) { XCTAssertEqual(published.events.last, 19, "round \(round)") }
    }
  }
}
