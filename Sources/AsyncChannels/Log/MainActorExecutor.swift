/// Runs what a task does outside any isolation on the main actor's own queue.
///
/// A consumer on the main actor sleeps in an `AsyncStream`, whose code has no isolation: when rung
/// it would wake on some thread and then queue for the main actor, where those rung in order would
/// arrive in another. With this preference it is queued there at once. (Not a promise: whether a
/// consumer that woke there has to queue a second time is the runtime's decision.)
final class MainActorExecutor: TaskExecutor {
  static let shared = MainActorExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    MainActor.shared.enqueue(UnownedJob(job))
  }
}
