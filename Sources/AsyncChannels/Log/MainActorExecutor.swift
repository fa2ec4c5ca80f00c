import Dispatch

/// Runs what a task does outside any isolation on the main actor's own queue.
///
/// A consumer on the main actor sleeps in an `AsyncStream`, whose code has no isolation: when rung
/// it would wake on some thread and then queue for the main actor, where those rung in order would
/// arrive in another. With this preference it is one step, in that queue, from falling asleep to
/// sleeping, and two from being rung to going on, for all alike.
final class MainActorExecutor: TaskExecutor {
  static let shared = MainActorExecutor()

  /// Not `MainActor.shared.enqueue`: a job would count as running on that actor, and queue again at
  /// each step of code that has no isolation.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    DispatchQueue.main.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
