#if canImport(Darwin)
  import Darwin

  /// Where the runtime asks, for each job that is to run, whether somebody else runs it.
  ///
  /// For Apple's systems, where the call that `TestExecutors` makes is not public. There the hooks see all: jobs of the pool,
  /// with those of actors and of `Task.yield()`; those of the main actor; and sleeps on a real clock.
  ///
  /// The hooks are the process's. While no test owns the time, there are none. A job that does not belong to the test
  /// goes where it would have gone.
  ///
  /// They are variables of the runtime, which reads them with no lock. Each is one word, so another thread sees a
  /// hook or none. A hook that a thread has read before it was taken away finds no test, and does nothing.
  @MainActor
  enum TestExecutors {
    private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
    private typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void
    private typealias EnqueueAfter = @convention(thin) (UInt64, UnownedJob) -> Void
    private typealias EnqueueAfterHook =
      @convention(thin) (UInt64, UnownedJob, EnqueueAfter) -> Void
    private typealias EnqueueAt =
      @convention(thin) (
        Int64, Int64, Int64, Int64, Int32, UnownedJob
      ) -> Void
    private typealias EnqueueAtHook =
      @convention(thin) (
        Int64, Int64, Int64, Int64, Int32, UnownedJob, EnqueueAt
      ) -> Void

    /// What gives back what was there before.
    private static var undo: [() -> Void] = []

    static func install() {
      if !undo.isEmpty { return }
      let pool: EnqueueHook = { job, enqueue in
        if !TestJobs.takeIfOwned(job, to: .pool) { enqueue(job) }
      }
      set("swift_task_enqueueGlobal_hook", to: pool)
      let mainActor: EnqueueHook = { job, enqueue in
        if !TestJobs.takeIfOwned(job, to: .mainActor) { enqueue(job) }
      }
      set("swift_task_enqueueMainExecutor_hook", to: mainActor)
      let after: EnqueueAfterHook = { delay, job, enqueue in
        TestJobs.noteRealSleep(.nanoseconds(Int64(clamping: delay)))
        enqueue(delay, job)
      }
      set("swift_task_enqueueGlobalWithDelay_hook", to: after)
      let at: EnqueueAtHook = {
        seconds, nanoseconds, leeway, nanosecondsLeeway, clock, job, enqueue in
        TestJobs.noteRealSleep(nil)
        enqueue(seconds, nanoseconds, leeway, nanosecondsLeeway, clock, job)
      }
      set("swift_task_enqueueGlobalWithDeadline_hook", to: at)
    }

    static func remove() {
      for step in undo { step() }
      undo = []
    }

    /// A runtime that has no such hook goes without: the run finds out whether it sees its jobs.
    private static func set<Hook>(_ name: String, to hook: Hook) {
      guard let address = dlsym(dlopen(nil, RTLD_NOW), name) else { return }
      let place = address.assumingMemoryBound(to: Hook?.self)
      let before = place.pointee
      undo.append { place.pointee = before }
      place.pointee = hook
    }
  }
#endif
