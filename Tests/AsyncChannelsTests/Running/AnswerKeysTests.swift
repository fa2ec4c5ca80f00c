import AsyncChannelsTesting
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRunning

/// C133: overlaps of elements with the same key, and a limit. The key of 12 is 1.
@MainActor
final class AnswerKeysTests: XCTestCase {
  private let events = Record<String>()
  private var input = Input<Int>()

  func test_C133a_theNewestOfAKeySupersedesTheEarlierOneAlone() async throws {
    try await withTestTime(orders: .random(10, seed: 133)) { [self] time in
      let run = call(.latestOnly(by: key), time)
      try await send([11, 21, 12], time)
      XCTAssertEqual(events.take(), ["busy", "begun 11", "begun 21", "begun 12"])
      await time.advance(by: .seconds(1))
      // Which of two that are ready together comes first is not told.
      XCTAssertEqual(
        events.take().sorted(), ["answered 12", "answered 21", "idle"], "11 has no answer.")
      await cancel(run)
    }
  }

  func test_C133b_oneIsIgnoredUntilTheEarlierOneOfItsKeyIsAnswered() async throws {
    try await withTestTime(orders: .random(10, seed: 133)) { [self] time in
      let run = call(.firstOnly(by: key), time)
      try await send([11, 12, 21, 13], time)
      XCTAssertEqual(events.take(), ["busy", "begun 11", "ignored 12", "begun 21", "ignored 13"])
      await time.advance(by: .seconds(1))
      XCTAssertEqual(events.take().sorted(), ["answered 11", "answered 21", "idle"])
      try await send([14], time)
      XCTAssertEqual(events.take(), ["busy", "begun 14"])
      await cancel(run)
      XCTAssertEqual(events.take(), ["abandoned 14", "idle"])
    }
  }

  /// What came before the answer of its key, while the call could not look at it, is ignored; what has another key is
  /// worked on.
  func test_C133b_whatCameBeforeTheAnswerIsIgnoredHoweverLateTheCallLooks() async throws {
    try await withTestTime(orders: .random(20, seed: 133)) { [self] time in
      let run = Task { [events, input] in
        await input.received.answer(
          .firstOnly(by: key), ignored: Inlet { events.add("ignored \($0)") }
        ) { number in
          if number == 11 {
            // The loop has no time to look before the answer is there.
            input.inlet.send(12)
            input.inlet.send(21)
          }
        } publish: { number, _ in
          events.add("answered \(number)")
          if number == 11 { input.inlet.send(13) }
        }
      }
      try await send([11], time)
      XCTAssertEqual(
        events.take().sorted(), ["answered 11", "answered 13", "answered 21", "ignored 12"])
      run.cancel()
    }
  }

  func test_C133c_thoseOfAKeyAreWorkedOnOneAfterTheOtherBesideOthers() async throws {
    try await withTestTime(orders: .random(10, seed: 133)) { [self] time in
      let run = call(.oneAtATime(by: key), time)
      try await send([11, 12, 21, 13], time)
      XCTAssertEqual(events.take(), ["busy", "begun 11", "begun 21"])
      await time.advance(by: .seconds(1))
      XCTAssertEqual(events.take().sorted(), ["answered 11", "answered 21", "begun 12"])
      await time.advance(by: .seconds(1))
      XCTAssertEqual(events.take(), ["answered 12", "begun 13"])
      try await send([14], time)
      await cancel(run)
      // What waits for its turn was taken, so its work is called in a cancelled task.
      XCTAssertEqual(
        events.take(), ["abandoned 13", "abandoned 14", "idle", "begun 14 cancelled"])
    }
  }

  func test_C133d_noMoreThanTheLimitAreWorkedOnAtATime() async throws {
    try await withTestTime(orders: .random(10, seed: 133)) { [self] time in
      let run = call(.concurrent(atMost: 2), time)
      try await send([1, 2, 3, 4, 5], time)
      XCTAssertEqual(events.take(), ["busy", "begun 1", "begun 2"])
      XCTAssertEqual(input.received.pendingCount, 3, "They stay where they are.")
      await time.advance(by: .seconds(1))
      XCTAssertEqual(events.take().count { $0.hasPrefix("begun") }, 2)
      await cancel(run)
      XCTAssertEqual(input.received.pendingCount, 1)
    }
  }

  func test_C133d_withKeysOneThatReplacesAnotherNeedsNoPlace() async throws {
    try await withTestTime(orders: .random(10, seed: 133)) { [self] time in
      let run = call(.latestOnly(by: key, atMost: 2), time)
      try await send([11, 21, 12, 31, 41], time)
      XCTAssertEqual(events.take(), ["busy", "begun 11", "begun 21", "begun 12"])
      XCTAssertEqual(input.received.pendingCount, 1, "31 is taken, since its key is asked.")
      await time.advance(by: .seconds(1))
      await time.idle()
      let seen = events.take()
      XCTAssertTrue(seen.contains("begun 31"))
      XCTAssertTrue(seen.contains("begun 41"))
      await cancel(run)
    }
  }

  func test_C133e_progressIsThatOfTheNewestOfItsKey() async throws {
    try await withTestTime { [self] time in
      let run = Task { [events, input, clock = time.clock] in
        await input.received.answerWithProgress(.latestOnly(by: key)) {
          (number: Int, progress: Inlet<Int>) in
          progress.send(1)
          await clock.sleepThrough(.seconds(1))
          progress.send(2)
        } progress: { number, part in
          events.add("\(number): \(part)")
        } publish: { number, _ in
          events.add("answered \(number)")
        }
      }
      try await send([11, 21, 12], time)
      await time.run()
      XCTAssertEqual(events.events.filter { $0.hasPrefix("11") }, ["11: 1"])
      XCTAssertEqual(events.events.filter { $0.hasPrefix("12") }, ["12: 1", "12: 2"])
      XCTAssertEqual(events.events.filter { $0.hasPrefix("21") }, ["21: 1", "21: 2"])
      run.cancel()
    }
  }

  /// On all threads: of each key, one works at a time, in order, and each is answered once.
  func test_C133c_onAllThreads() async throws {
    let most = Atomic(0)
    let count = 4_000
    let published = Record<Int>()
    let inside = Locked([0, 0, 0, 0])
    for number in 0..<count { input.inlet.send(number) }
    input.finish()
    await Task.detached { [input] in
      await input.received.answer(.oneAtATime(by: { $0 % 4 }, atMost: 50)) { number in
        let now = inside.withLock { inside in
          inside[number % 4] += 1
          return inside[number % 4]
        }
        most.max(now, ordering: .relaxed)
        if number.isMultiple(of: 7) { await Task.yield() }
        inside.withLock { $0[number % 4] -= 1 }
      } publish: { number, _ in
        published.add(number)
      }
    }.value
    XCTAssertEqual(most.load(ordering: .relaxed), 1)
    XCTAssertEqual(published.count, count)
    for key in 0..<4 {
      let ofKey = published.events.filter { $0 % 4 == key }
      XCTAssertEqual(ofKey, ofKey.sorted())
    }
  }

  private nonisolated var key: @Sendable (Int) -> Int { { $0 / 10 } }

  private func call(_ overlap: OverlapRule<Int>, _ time: TestTime) -> Task<Void, Never> {
    // Of the order before.
    _ = events.take()
    input = Input()
    return Task { [events, input, clock = time.clock] in
      await input.received.answer(
        overlap, busy: Inlet { events.add($0 ? "busy" : "idle") },
        ignored: Inlet { events.add("ignored \($0)") }
      ) { number in
        events.add("begun \(number)\(Task.isCancelled ? " cancelled" : "")")
        try? await clock.sleep(for: .seconds(1))
      } abandoned: { number in
        events.add("abandoned \(number)")
      } publish: { number, _ in
        events.add("answered \(number)")
      }
    }
  }

  /// One after the other, so that the call looks at each.
  private func send(_ numbers: [Int], _ time: TestTime) async throws {
    for number in numbers {
      input.inlet.send(number)
      await time.idle()
    }
  }

  private func cancel(_ run: Task<Void, Never>) async {
    run.cancel()
    await run.value
  }
}
