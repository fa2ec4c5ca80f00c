#if !canImport(Darwin)
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

  /// How a test sees each job: while it owns the time, its executors are in the place of the process's.
  ///
  /// **Why executors.** To know that nothing is left to do, a test has to see each job, whoever made it. A
  /// preference for a task executor is not inherited by `Task {}` and `Task.detached {}`, and concerns neither
  /// actors nor the main actor. The runtime's enqueue hooks see neither the main actor's jobs nor those of
  /// `Task.yield()` and `Task.sleep(for:)`, which since 6.3 go to the executors directly. All of these come to the main
  /// executor and to the default executor, and an actor that has none of its own runs its jobs in one of the latter's.
  /// A program names the two in an executor factory. Here the program is the test runner, so the test makes
  /// the call that the runtime makes for a factory. (On Apple's systems that call is not public, and the hooks
  /// see all: see `EnqueueHooks`.)
  ///
  /// The executors are the process's. While no test owns the time, they are those that were there before, unless a closure
  /// was abandoned, whose task must not run. A job that does not belong to the test goes on to these.
  ///
  /// Other threads may read the two variables of the runtime while they are changed, object and table in two steps. So
  /// no executor here has variables, and none ends: each of these tables serves each object.
  @MainActor
  enum TestExecutors {
    static func install() {
      _ = (Others.main, Others.pool)
      _createExecutors(factory: Ours.self)
    }

    static func remove() {
      _createExecutors(factory: Others.self)
    }

    private struct Ours: ExecutorFactory {
      static let mainExecutor: any MainExecutor = TestMainExecutor()
      static let defaultExecutor: any TaskExecutor = TestPoolExecutor()
    }
  }

  /// Those that were there before the first test that owned the time.
  private struct Others: ExecutorFactory {
    static let main = MainActor.executor
    static let pool = Task.defaultExecutor

    static var mainExecutor: any MainExecutor { main }
    static var defaultExecutor: any TaskExecutor { pool }

    /// By the method that takes a job which another executor was given.
    static func enqueue(_ job: UnownedJob, on executor: any Executor) { executor.enqueue(job) }
  }

  private final class TestMainExecutor: MainExecutor, SchedulingExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      if !TestJobs.takeIfOwned(job, to: .mainActor) { Others.enqueue(job, on: Others.main) }
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
      schedule(job, on: Others.main, at: instant, tolerance: tolerance, clock: clock)
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      let instant = clock.now.advanced(by: delay)
      schedule(job, on: Others.main, at: instant, tolerance: tolerance, clock: clock)
    }

    func run() throws { try Others.main.run() }
    func runUntil(_ condition: () -> Bool) throws { try Others.main.runUntil(condition) }
    func stop() { Others.main.stop() }
    func checkIsolated() { Others.main.checkIsolated() }
    func isIsolatingCurrentContext() -> Bool? { Others.main.isIsolatingCurrentContext() }
  }

  private final class TestPoolExecutor: TaskExecutor, SchedulingExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      if !TestJobs.takeIfOwned(job, to: .pool) { Others.enqueue(job, on: Others.pool) }
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
      schedule(job, on: Others.pool, at: instant, tolerance: tolerance, clock: clock)
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      let instant = clock.now.advanced(by: delay)
      schedule(job, on: Others.pool, at: instant, tolerance: tolerance, clock: clock)
    }
  }

  /// Somebody sleeps on a real clock.
  private func schedule<C: Clock>(
    _ job: consuming ExecutorJob, on executor: some Executor, at instant: C.Instant,
    tolerance: C.Duration?, clock: C
  ) {
    TestJobs.noteRealSleep(clock.now.duration(to: instant) as? Duration)
    if let scheduling = executor as? any SchedulingExecutor {
      scheduling.enqueue(job, at: instant, tolerance: tolerance, clock: clock)
    } else {
      // An executor that cannot: it would have been asked for nothing else.
      executor.enqueue(job)
    }
  }
#endif
