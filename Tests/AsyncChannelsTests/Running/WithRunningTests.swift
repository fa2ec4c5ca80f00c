import AsyncChannelsRunning
import AsyncChannelsTesting
import XCTest

@MainActor
final class WithRunningTests: XCTestCase {
  func test_itRunsForTheLengthOfTheClosureAndReturnsItsResult() async throws {
    try await withTestTime { time in
      let worker = Worker()
      let result = await withRunning(worker.run) {
        await time.idle()
        assertEqual(await worker.phases, ["started"])
        return "done"
      }
      XCTAssertEqual(result, "done")
      assertEqual(
        await worker.phases, ["started", "ended"], "it returns after the run has returned")
    }
  }

  func test_itRunsViewModels() async throws {
    try await withTestTime { time in
      let (first, second) = (Echo(), Echo())
      let (echoed, echoedToo) = (Probe(first.output), Probe(second.output))
      await withRunning(first, second) {
        first.input.send(1)
        second.input.send(2)
        await time.idle()
      }
      XCTAssertEqual(echoed.values, [1])
      XCTAssertEqual(echoedToo.values, [2])
    }
  }

  func test_anErrorOfTheClosureEndsTheViewModelsRuns() async throws {
    try await withTestTime { time in
      let (first, second) = (Worker(), Worker())
      do throws(Broken) {
        try await withRunning(Running(first), Running(second)) { () async throws(Broken) in
          await time.idle()
          throw Broken()
        }
        XCTFail("it threw nothing")
      } catch {
        let phases = [await first.phases, await second.phases]
        XCTAssertEqual(phases, [["started", "ended"], ["started", "ended"]])
      }
    }
  }

  func test_cancellingTheOuterTaskEndsTheViewModelsRuns() async throws {
    try await withTestTime { time in
      let (first, second) = (Worker(), Worker())
      let task = Task {
        await withRunning(Running(first), Running(second)) { await first.forever() }
      }
      await time.idle()
      task.cancel()
      await task.value
      let phases = [await first.phases, await second.phases]
      XCTAssertEqual(phases, [["started", "ended"], ["started", "ended"]])
    }
  }

  func test_anErrorOfTheClosureIsThrownAsItIsAndEndsTheRun() async throws {
    try await withTestTime { time in
      let worker = Worker()
      do throws(Broken) {
        try await withRunning(worker.run) { () async throws(Broken) in
          await time.idle()
          throw Broken()
        }
        XCTFail("it threw nothing")
      } catch {
        assertEqual(await worker.phases, ["started", "ended"])
      }
    }
  }

  func test_cancellingTheOuterTaskEndsTheRun() async throws {
    try await withTestTime { time in
      let worker = Worker()
      let task = Task { await withRunning(worker.run) { await worker.forever() } }
      await time.idle()
      task.cancel()
      await task.value
      assertEqual(await worker.phases, ["started", "ended"])
    }
  }

  func test_aRunThatReturnsEarlyDoesNotEndTheClosure() async throws {
    try await withTestTime { time in
      let wasCancelled = await withRunning({}) {
        await time.idle()
        return Task.isCancelled
      }
      XCTAssertFalse(wasCancelled)
    }
  }
}

private struct Broken: Error {}

/// Runs until it is cancelled, takes its time to unwind, and says so.
private actor Worker {
  private(set) var phases: [String] = []

  func run() async {
    phases.append("started")
    await forever()
    await giveWay(10)
    phases.append("ended")
  }

  nonisolated func forever() async {
    for await _ in Outlet<Never>.never {}
  }
}

/// A view model that does what a worker does.
@MainActor
private final class Running: ViewModel {
  private let worker: Worker

  init(_ worker: Worker) {
    self.worker = worker
  }

  func run() async {
    await worker.run()
  }
}

@MainActor
private final class Echo: ViewModel {
  @Input var input: Inlet<Int>
  @Output var output: Outlet<Int>

  func run() async {
    for await number in _input.received { _output.send(number) }
  }
}
