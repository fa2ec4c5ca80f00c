#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  #error("AsyncChannels does not run on this system yet; see \"Where it runs\" in README.")
#endif

import Synchronization

/// What this package needs of the platform's threads.
@usableFromInline
package enum CurrentThread {
  /// A number that no other living thread has; never zero.
  @usableFromInline
  package static var identifier: UInt {
    #if canImport(Glibc)
      pthread_self()
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }

  #if !canImport(Darwin)
    private static let process = getpid()
  #endif

  /// Whether this is the main thread.
  static var isMain: Bool {
    #if canImport(Darwin)
      pthread_main_np() != 0
    #else
      // Its number is that of the process. Linux writes a thread's number into the name of the thread's clock.
      var clock = clockid_t()
      return pthread_getcpuclockid(pthread_self(), &clock) == 0 && ~(clock >> 3) == process
    #endif
  }

  /// The thread whose jobs a test runs one by one, while one runs; zero for none.
  private static let ownedByTest = Atomic<UInt>(0)

  /// Whether a test owns the time of what runs now. Relaxed: a thread finds its own number only if it stored it.
  package static var isInTestTime: Bool {
    let owned = ownedByTest.load(ordering: .relaxed)
    return owned != 0 && owned == identifier
  }

  /// Runs a job, or what makes some, in the time of a test.
  package static func inTestTime<Value>(_ body: () -> Value) -> Value {
    ownedByTest.store(identifier, ordering: .relaxed)
    defer { ownedByTest.store(0, ordering: .relaxed) }
    return body()
  }

  /// Nanoseconds of a clock that never goes back. It may stand still while the system sleeps.
  static var uptime: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
}
