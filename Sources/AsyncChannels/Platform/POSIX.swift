#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  // What this package asks of a system: here, of POSIX. Windows.swift and WASI.swift have the same functions, but for the
  // clock, which is in WithoutPOSIX.swift.

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

    /// Whether there may be others.
    static var hasOthers: Bool { true }

    /// Nanoseconds of a clock that never goes back. It may stand still while the system sleeps.
    static var uptime: UInt64 {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
  }

  func writeToStandardError(_ text: String) {
    _ = write(2, text, text.utf8.count)
  }
#endif
