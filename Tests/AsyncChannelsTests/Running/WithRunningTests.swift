import AsyncChannels
import TestSupport
import XCTest

final class WithRunningTests: XCTestCase {
  func test_itRunsForTheLengthOfTheClosureAndReturnsItsResult() async throws {
    let worker = Worker()
    let result = await withRunning(worker.run) {
      await worker.started.pass()
      return "done"
    }
    XCTAssertEqual(result, "done")
    assertEqual(await worker.phases, ["started", "ended"], "it returns after the run has returned")
  }

  @MainActor
  func test_itRunsViewModels() async throws {
    let first = Echo()
    let second = Echo()
    let output = first.output.subscribe()
    let other = second.output.subscribe()
    try await withRunning(first, second) {
      first.input.send(1)
      second.input.send(2)
      let echoed = try await within { await output.first { _ in true } }
      let echoedToo = try await within { await other.first { _ in true } }
      XCTAssertEqual([echoed, echoedToo], [1, 2])
    }
  }

  @MainActor
  func test_anErrorOfTheClosureEndsTheViewModelsRuns() async throws {
    struct Broken: Error {}
    let (first, second) = (Worker(), Worker())
    do throws(Broken) {
      try await withRunning(Running(first), Running(second)) { () async throws(Broken) in
        await first.started.pass()
        await second.started.pass()
        throw Broken()
      }
      XCTFail("it threw nothing")
    } catch {
      let phases = [await first.phases, await second.phases]
      XCTAssertEqual(phases, [["started", "ended"], ["started", "ended"]])
    }
  }

  @MainActor
  func test_cancellingTheOuterTaskEndsTheViewModelsRuns() async throws {
    let (first, second) = (Worker(), Worker())
    let task = Task {
      await withRunning(Running(first), Running(second)) { await first.forever() }
    }
    await first.started.pass()
    await second.started.pass()
    try await task.cancelAndWait()
    let phases = [await first.phases, await second.phases]
    XCTAssertEqual(phases, [["started", "ended"], ["started", "ended"]])
  }

  func test_anErrorOfTheClosureIsThrownAsItIsAndEndsTheRun() async throws {
    struct Broken: Error {}
    let worker = Worker()
    do throws(Broken) {
      try await withRunning(worker.run) { () async throws(Broken) in
        await worker.started.pass()
        throw Broken()
      }
      XCTFail("it threw nothing")
    } catch {
      assertEqual(await worker.phases, ["started", "ended"])
    }
  }

  func test_cancellingTheOuterTaskEndsTheRun() async throws {
    let worker = Worker()
    let task = Task {
      await withRunning(worker.run) { await worker.forever() }
    }
    await worker.started.pass()
    try await task.cancelAndWait()
    assertEqual(await worker.phases, ["started", "ended"])
  }

  func test_aRunThatReturnsEarlyDoesNotEndTheClosure() async throws {
    let ended = Gate()
    let result = await withRunning({ ended.open() }) {
      await ended.pass()
      return 1
    }
    XCTAssertEqual(result, 1)
  }
}

/// Runs until it is cancelled, and says so.
private actor Worker {
  nonisolated let started = Gate()
  private(set) var phases: [String] = []
  private let never = Channel<Never>()

  func run() async {
    phases.append("started")
    started.open()
    await forever()
    phases.append("ended")
  }

  nonisolated func forever() async {
    for await _ in never.outlet {}
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
