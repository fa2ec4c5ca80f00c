import TestSupport

import Synchronization

@testable import AsyncChannels

/// Jobs that run when a test says so, in the order in which they were enqueued.
///
/// `Locked` is the library's lock, which has a form that Thread Sanitizer understands.
final class JobQueue: Sendable {
  private let jobs = Locked<[UnownedJob]>([])

  var count: Int { jobs.withLock { $0.count } }

  func add(_ job: UnownedJob) {
    jobs.withLock { $0.append(job) }
  }

  func takeFirst() -> UnownedJob? {
    jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }

  func takeLast() -> UnownedJob? {
    jobs.withLock { $0.popLast() }
  }
}

/// An actor that does nothing until the test lets it. Its jobs then run on the test's thread.
actor Stage {
  private final class Executor: SerialExecutor {
    let jobs = JobQueue()

    func enqueue(_ job: consuming ExecutorJob) {
      jobs.add(UnownedJob(job))
    }
  }

  private nonisolated let executor = Executor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// How many jobs wait to be run.
  nonisolated var jobCount: Int { executor.jobs.count }

  /// Runs the job that has waited longest. False if there is none.
  nonisolated func runOne() -> Bool {
    guard let job = executor.jobs.takeFirst() else { return false }
    job.runSynchronously(on: executor.asUnownedSerialExecutor())
    return true
  }

  /// Runs what has been enqueued, and what that enqueues.
  nonisolated func drain() {
    while runOne() {}
  }

  nonisolated func untilJobs(_ count: Int) async throws {
    try await until("\(count) jobs on the stage") { self.jobCount == count }
  }

  /// Puts a synchronous piece of work behind the jobs there are, without running any.
  nonisolated func enqueue<Value: Sendable>(
    _ work: @escaping @Sendable (isolated Stage) -> Value
  ) async throws -> Task<Value, Never> {
    let count = jobCount
    let task = Task { await work(self) }
    try await untilJobs(count + 1)
    return task
  }

  /// Does a synchronous piece of work in the actor, behind the jobs there are.
  nonisolated func perform<Value: Sendable>(
    _ work: @escaping @Sendable (isolated Stage) -> Value
  ) async throws -> Value {
    let task = try await enqueue(work)
    drain()
    return try await within { await task.value }
  }

  /// Does a synchronous piece of work in the actor before the jobs there are: actors promise no order.
  nonisolated func performFirst(
    _ work: @escaping @Sendable (isolated Stage) -> Void
  ) async throws {
    let task = try await enqueue(work)
    executor.jobs.takeLast()?.runSynchronously(on: executor.asUnownedSerialExecutor())
    try await within { await task.value }
  }

  /// Runs jobs as they come until a condition holds.
  nonisolated func drain(until what: String, _ condition: @Sendable () -> Bool) async throws {
    try await TestSupport.until(what) {
      self.drain()
      return condition()
    }
  }
}

/// A place for tasks that are isolated to nothing: they run when the test says so.
final class ManualTaskExecutor: TaskExecutor {
  private let jobs = JobQueue()
  private let onEnqueue: @Sendable () -> Void

  /// - Parameter onEnqueue: Called where a job is enqueued, before that.
  init(onEnqueue: @escaping @Sendable () -> Void = {}) {
    self.onEnqueue = onEnqueue
  }

  var jobCount: Int { jobs.count }

  func enqueue(_ job: consuming ExecutorJob) {
    onEnqueue()
    jobs.add(UnownedJob(job))
  }

  /// Runs the job that has waited longest. False if there is none.
  func runOne() -> Bool {
    guard let job = jobs.takeFirst() else { return false }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  func drain() {
    while runOne() {}
  }
}
