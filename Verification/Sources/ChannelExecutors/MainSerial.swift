import Dispatch
import Foundation
import Proof
import Synchronization

/// Every job that would run on the shared pool is enqueued on the main actor.
enum MainSerial {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  private static let jobs = Atomic(0)

  static func run(rounds: Int) {
    install()
    Watchdog.start(patience: 20)
    Task { @MainActor in
      await HandOvers.play(rounds: rounds)
      await Comparison.check()
      // Fewer than this would mean that the jobs went elsewhere.
      let count = jobs.load(ordering: .relaxed)
      if count < 2 * rounds { fail("only \(count) jobs came by way of the hook") }
      print("main-serial: \(rounds) hand-overs, \(count) jobs of the pool on the main actor")
      exit(0)
    }
    dispatchMain()
  }

  /// The runtime's own hook for this. The runtime is a library that is there already.
  private static func install() {
    guard let place = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else {
      fail("This runtime has no swift_task_enqueueGlobal_hook.")
    }
    let hook: Hook = { job, _ in
      MainSerial.jobs.add(1, ordering: .relaxed)
      MainActor.shared.enqueue(job)
    }
    place.assumingMemoryBound(to: Hook?.self).pointee = hook
  }
}
