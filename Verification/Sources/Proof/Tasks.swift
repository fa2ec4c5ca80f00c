import Synchronization

/// How the tasks of a stress are started: at which priority, and on whose threads.
///
/// Set before the first of them starts. Everything that a stress starts goes this way, except for
/// tasks with an executor of their own.
package enum Tasks {
  private static let mixes = Atomic(false)
  private static let seed = Atomic<UInt64>(0)
  private static let started = Atomic<UInt64>(0)
  private static let pool = Monitor<ThreadPool?>(nil)

  /// From now on each task gets background, medium or high priority at random. So one of background
  /// priority may hold what one of high priority wants.
  package static func mixPriorities(seed: UInt64) {
    self.seed.store(seed, ordering: .relaxed)
    mixes.store(true, ordering: .releasing)
  }

  /// From now on all tasks run on this many threads, which nothing else uses.
  ///
  /// This stands for the strict pool of Apple's systems, `LIBDISPATCH_COOPERATIVE_POOL_STRICT=1`, which
  /// has one thread. The pool on Linux does not know that variable.
  package static func useOwnThreads(_ count: Int) {
    pool.change { $0 = ThreadPool(threads: count) }
  }

  @discardableResult
  package static func start<Result: Sendable>(
    _ work: @escaping @Sendable () async -> Result
  ) -> Task<Result, Never> {
    Task.detached(
      executorPreference: pool.withLock { $0 }, priority: nextPriority, operation: work)
  }

  private static var nextPriority: TaskPriority? {
    guard mixes.load(ordering: .acquiring) else { return nil }
    let number = started.wrappingAdd(1, ordering: .relaxed).newValue
    var random = SplitMix64(seed: seed.load(ordering: .relaxed) &+ number &* 0xD134_2543_DE82_EF95)
    return random.pick([.background, .medium, .high])
  }
}
