@_spi(ExperimentalCustomExecutors) import _Concurrency
import Foundation
import Proof
import Synchronization

/// The main actor is served by a loop of this program on the main thread.
enum OwnLoop {
  static func run(rounds: Int) {
    _createExecutors(factory: Factory.self)
    Watchdog.start(patience: 20)
    Task { @MainActor in
      guard Thread.isMainThread else { fail("the main actor is not on the main thread") }
      await HandOvers.play(rounds: rounds)
      await Comparison.check()
      let count = Loop.shared.count
      if count < 2 * rounds { fail("only \(count) jobs came to the loop") }
      print("own-loop: \(rounds) hand-overs, \(count) jobs by the loop")
      exit(0)
    }
    Loop.shared.serve()
  }

  private struct Factory: ExecutorFactory {
    static let mainExecutor: any MainExecutor = Loop.shared
    static let defaultExecutor: any TaskExecutor = PlatformExecutorFactory.defaultExecutor
  }
}

/// Runs jobs on the thread that serves it, in the order in which they came.
private final class Loop: MainExecutor {
  static let shared = Loop()

  private let jobs = Monitor<[UnownedJob]>([])
  private let served = Atomic(0)

  var count: Int { served.load(ordering: .relaxed) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.change { $0.append(job) }
  }

  func serve() {
    while let job = jobs.wait(for: { $0.isEmpty ? nil : $0.removeFirst() }) {
      served.add(1, ordering: .relaxed)
      job.runSynchronously(on: asUnownedSerialExecutor())
    }
  }

  // The runtime asks for these two where a program has an asynchronous `main`, which this one has not.
  func run() throws { serve() }
  func stop() {}

  func checkIsolated() {}
}
