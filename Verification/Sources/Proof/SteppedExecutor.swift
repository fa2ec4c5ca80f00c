/// Runs a task's jobs on the thread that asks for it, and when it demands: until then it stands still.
package final class SteppedExecutor: TaskExecutor {
  private let jobs = Monitor<[UnownedJob]>([])

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.change { $0.append(job) }
  }

  /// Runs one job at least, and then until `isDone` and no other is there.
  ///
  /// Waits for jobs, since a ring may come by way of the ringer. False if none has come
  /// when the time is up.
  package func run(atMost seconds: Double, until isDone: () -> Bool) -> Bool {
    repeat {
      let job = jobs.wait(atMost: seconds) { $0.isEmpty ? nil : $0.removeFirst() }
      guard let job else { return false }
      job.runSynchronously(on: asUnownedTaskExecutor())
    } while !isDone() || !jobs.withLock(\.isEmpty)
    return true
  }
}
