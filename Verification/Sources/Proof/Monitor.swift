import Foundation

/// A value behind a lock, and a place to wait until it changes.
///
/// By hand, on the platform's mutex and condition: Thread Sanitizer understands these two, and
/// neither `Mutex` nor a semaphore of Dispatch. `@unchecked Sendable`: the value is reached only
/// with the mutex held.
package final class Monitor<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  package init(_ value: Value) {
    self.value = value
    mutex.initialize(to: pthread_mutex_t())
    changed.initialize(to: pthread_cond_t())
    precondition(pthread_mutex_init(mutex, nil) == 0, "There is no mutex to be had.")
    precondition(pthread_cond_init(changed, nil) == 0, "There is no condition to be had.")
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// As `withLock`, and wakes those who wait.
  ///
  /// With the mutex held: whoever sees the change may let go of the monitor, as happens to the
  /// executor of a task that has ended. So nothing of it is touched after it is unlocked.
  package func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try withLock { value in
      defer { pthread_cond_broadcast(changed) }
      return try body(&value)
    }
  }

  /// Blocks this thread until `body` gives a result. Nil if it has none when the time is up.
  package func wait<Result>(
    atMost seconds: Double = .infinity, for body: (inout Value) -> Result?
  ) -> Result? {
    var end = timespec()
    if seconds < .infinity {
      clock_gettime(CLOCK_REALTIME, &end)
      let nanoseconds = end.tv_nsec + Int((seconds - seconds.rounded(.down)) * 1e9)
      end.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
      end.tv_nsec = nanoseconds % 1_000_000_000
    }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    // Not inside `withLock`: an access of the value that went on while this waits would exclude the
    // others, and the compiler might keep the value as it was.
    while true {
      if let result = body(&value) { return result }
      let status =
        seconds < .infinity
        ? pthread_cond_timedwait(changed, mutex, &end) : pthread_cond_wait(changed, mutex)
      if status != 0 { return body(&value) }
    }
  }
}
