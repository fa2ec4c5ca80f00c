/// A job that runs when the test says so, and what it has to run on.
struct OwnedJob: Sendable {
  enum Place {
    /// What has no actor; and an actor that runs its own jobs, one after the other.
    case pool
    case mainActor
  }

  let job: UnownedJob
  let place: Place

  @MainActor
  func run() {
    switch place {
    case .pool: job.runSynchronously(on: Runtime.noActor)
    case .mainActor: job.runSynchronously(on: MainActor.sharedUnownedExecutor)
    }
  }

  /// The number that no other task of the program has, and which is higher than that of each task made
  /// before; nil for a job that is no task's.
  var taskNumber: UInt64? { Runtime.taskNumber(of: job) }

  /// For the job in which an actor runs its own jobs, which actor that is; nil for others.
  var actor: UInt? { Runtime.actor(of: job) }

  /// Gives it to whoever would have had it without a test.
  func enqueueAsUsual() {
    switch place {
    case .pool: Runtime.enqueueInPool(job)
    case .mainActor: MainActor.shared.enqueue(job)
    }
  }
}
