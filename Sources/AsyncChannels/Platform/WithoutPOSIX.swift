#if !canImport(Darwin) && !canImport(Glibc) && !canImport(Musl) && !canImport(Android)
  #if !os(Windows) && !os(WASI)
    #error("AsyncChannels does not run on this system yet; see \"Where it runs\" in README.")
  #endif

  // The clock of a system without POSIX.
  extension CurrentThread {
    private static let start = SuspendingClock.now

    /// About nanoseconds (1.07) of a clock that never goes back. It stands still while the system sleeps.
    static var uptime: UInt64 {
      UInt64(truncatingIfNeeded: (SuspendingClock.now - start).attoseconds >> 30)
    }
  }
#endif
