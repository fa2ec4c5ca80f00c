import Foundation

/// Runs tasks on threads of its own, first come, first served.
final class ThreadPool: TaskExecutor {
  private let jobs = Monitor<[UnownedJob]>([])

  /// The threads stay until the program ends.
  init(threads: Int) {
    for _ in 0..<threads {
      Thread.detachNewThread { [self] in
        while true {
          let job = jobs.wait { $0.isEmpty ? nil : $0.removeFirst() }!
          job.runSynchronously(on: asUnownedTaskExecutor())
        }
      }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.change { $0.append(job) }
  }
}
