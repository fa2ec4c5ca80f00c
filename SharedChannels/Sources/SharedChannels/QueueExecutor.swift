import Dispatch

/// Runs an actor on a queue of its own, so that the actor may block its thread: a blocked thread of the cooperative pool
/// would hold up everybody else's tasks. (On Linux a `DispatchSerialQueue` is no executor.)
package final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  package init(_ label: String) {
    queue = DispatchQueue(label: label)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
