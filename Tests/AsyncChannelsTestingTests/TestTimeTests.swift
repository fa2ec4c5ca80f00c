import AsyncChannelsRunning
import AsyncChannelsTesting
import Foundation
import XCTest

final class TestTimeTests: XCTestCase {
  @MainActor
  func test_C95_timePassesDeadlineByDeadline() async throws {
    try await withTestTime { time in
      let log = Log()
      for milliseconds in [5, 3, 1, 3] {
        Task.detached {
          try await time.clock.sleep(for: .milliseconds(milliseconds))
          await log.add("\(milliseconds) at \(time.clock.now)")
          // Falls asleep again at its deadline, and so wakes within the same advance.
          try await time.clock.sleep(for: .milliseconds(1))
          await log.add("\(milliseconds) again at \(time.clock.now)")
        }
      }
      await time.advance(by: .milliseconds(3))
      XCTAssertEqual(
        log.lines,
        ["1 at 0.001 seconds", "1 again at 0.002 seconds"] + [
          "3 at 0.003 seconds", "3 at 0.003 seconds",
        ])
      XCTAssertEqual(time.clock.now.sinceBeginning, .milliseconds(3))
      await time.run()
      XCTAssertEqual(log.lines.count, 8)
      XCTAssertEqual(time.clock.now.sinceBeginning, .milliseconds(6))
      XCTAssertEqual(time.clock.sleeperCount, 0)
      await time.advance(to: .init(sinceBeginning: .seconds(1)))
      XCTAssertEqual(time.clock.now.sinceBeginning, .seconds(1))
    }
  }

  @MainActor
  func test_C95_sleepersOfOneDeadlineWakeInTheOrderInWhichTheyFellAsleep() async throws {
    try await withTestTime { time in
      let log = Log()
      for number in 0..<100 {
        Task {
          try await time.clock.sleep(until: .init(sinceBeginning: .seconds(1)))
          log.add("\(number)")
        }
        await time.idle()
      }
      await time.advance(by: .seconds(1))
      XCTAssertEqual(log.lines, (0..<100).map { "\($0)" })
    }
  }

  @MainActor
  func test_C95_aCancelledSleepEndsImmediately() async throws {
    try await withTestTime { time in
      let log = Log()
      let sleeper = Task {
        do { try await time.clock.sleep(for: .seconds(1)) } catch { log.add("\(error)") }
        do { try await time.clock.sleep(for: .seconds(1)) } catch { log.add("\(error)") }
      }
      await time.idle()
      sleeper.cancel()
      await time.idle()
      XCTAssertEqual(log.lines, ["CancellationError()", "CancellationError()"])
      XCTAssertEqual(time.clock.sleeperCount, 0)
    }
  }

  @MainActor
  func test_C94_theOrderIsTheSameInEachRun() async throws {
    for orders in [TestOrders.asReady, .random(1, seed: 5)] {
      var runs: Set<[String]> = []
      for _ in 0..<50 {
        let log = Log()
        try await withTestTime(orders: orders) { _ in
          for number in 0..<20 {
            Task.detached {
              await log.add("\(number)")
              await Task.yield()
              await log.add("\(number) again")
            }
            Task { log.add("\(number) here") }
          }
        }
        XCTAssertEqual(log.lines.count, 60)
        runs.insert(log.lines)
      }
      XCTAssertEqual(runs.count, 1)
    }
  }

  @MainActor
  func test_C94_whatIsReadyWhenTheClosureReturnsIsStillRun() async throws {
    let log = Log()
    try await withTestTime { _ in
      Task.detached { await log.add("done") }
    }
    XCTAssertEqual(log.lines, ["done"])
  }

  @MainActor
  func test_C94_callsWaitForEachOtherAndOtherTasksDoNotBelongToThem() async throws {
    let log = Log()
    // Always something left to do, for whoever it belongs to.
    let others = (0..<4).map { _ in
      Task.detached { while !Task.isCancelled { await Task.yield() } }
    }
    let calls = (0..<4).map { number in
      Task {
        try await withTestTime { time in
          log.add("\(number) begins")
          let sleeper = Task.detached { try await time.clock.sleep(for: .seconds(1)) }
          await time.advance(by: .seconds(1))
          try await sleeper.value
          log.add("\(number) ends")
        }
      }
    }
    for call in calls { try await call.value }
    for other in others { other.cancel() }
    XCTAssertEqual(log.lines, (0..<4).flatMap { ["\($0) begins", "\($0) ends"] })
  }

  @MainActor
  func test_C94_aThreadMayResumeATaskOfTheClosure() async throws {
    try await withTestTime { time in
      let log = Log()
      Task.detached {
        await withUnsafeContinuation { continuation in
          Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.05)
            continuation.resume()
          }
        }
        await log.add("resumed")
      }
      // It waits for no thread …
      await time.idle()
      XCTAssertEqual(log.lines, [])
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: 0.15)
        end.finish()
      }
      // … but the closure may.
      for await _ in ends {}
      await time.idle()
      XCTAssertEqual(log.lines, ["resumed"])
    }
  }

  /// The runtime then enqueues the actor, and not the task.
  @MainActor
  func test_C94_aThreadMayResumeATaskThatIsOnAnActor() async throws {
    for _ in 0..<20 {
      try await withTestTime { time in
        let client = Client()
        let answer = await client.answer()
        XCTAssertEqual(answer, 1)
        await time.idle()
        // What the actor's code began then is the test's, too.
        let effects = await client.effects
        XCTAssertEqual(effects, 1_000)
      }
    }
  }

  @MainActor
  func test_C94_theIsolationIsWhatItIsElsewhere() async throws {
    try await withTestTime { time in
      MainActor.preconditionIsolated()
      Task.detached { @MainActor in MainActor.preconditionIsolated() }
      await Sink().check()
      await time.idle()
      MainActor.preconditionIsolated()
    }
    MainActor.preconditionIsolated()
  }

  /// Swift 6.3.2 leaves it elsewhere (swift issue 89214): see LANGUAGE.md.
  @MainActor
  func test_C94_afterAFunctionThatRunsElsewhereTheIsolationIsTheCallersAgain() async throws {
    let closure: @concurrent (TestTime) async throws -> Void = { await $0.idle() }
    try await withTestTime(closure)
    MainActor.preconditionIsolated()
    let probing: @concurrent (Probe<Int>) async throws -> Void = { _ in }
    try await withProbe(of: Channel<Int>().outlet, probing)
    MainActor.preconditionIsolated()
    let body: @concurrent () async -> Void = {}
    await withRunning({}, body: body)
    MainActor.preconditionIsolated()
  }

  /// What SE-0526's `withDeadline` demands of a clock: the deadlines of two clocks do not meet.
  func test_C95_aTestClockHasAnIdentityOfItsOwn() {
    func identity<C: Clock & Identifiable>(_ clock: C) -> C.ID { clock.id }
    let (one, other) = (TestClock(), TestClock())
    XCTAssertEqual(identity(one), identity(one))
    XCTAssertNotEqual(identity(one), identity(other))
  }

  @MainActor
  func test_C94_whatTheClosureThrowsIsThrown() async throws {
    struct Broken: Error {}
    do {
      try await withTestTime { _ in throw Broken() }
      XCTFail("nothing was thrown")
    } catch {
      XCTAssert(error is Broken, "\(error)")
    }
  }

  @MainActor
  func test_C94_cancellingTheCallerCancelsTheClosure() async throws {
    let log = Log()
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    let call = Task {
      try await withTestTime { time in
        beginning.finish()
        do { try await time.clock.sleep(for: .seconds(1)) } catch { log.add("\(error)") }
      }
    }
    for await _ in begun {}
    call.cancel()
    _ = await call.result
    XCTAssertEqual(log.lines, ["CancellationError()"])
  }
}

@MainActor
final class Log {
  private(set) var lines: [String] = []

  func add(_ line: String) { lines.append(line) }
}

private actor Sink {
  func check() { preconditionIsolated() }
}

private actor Client {
  private(set) var effects = 0

  func answer() async -> Int {
    await withUnsafeContinuation { continuation in
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: 0.002)
        continuation.resume()
      }
    }
    Task {
      for _ in 0..<1_000 {
        await Task.yield()
        effects += 1
      }
    }
    return 1
  }
}
