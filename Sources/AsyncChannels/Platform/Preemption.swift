#if ASYNCCHANNELS_PREEMPT
  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif
  import Synchronization
#endif

/// The points at which the system may take the processor away from a thread and something could
/// depend on it: between two atomic steps, and around each lock.
///
/// On an idle machine a thread is hardly ever preempted there, so no test sees what happens then. A
/// build with `-D ASYNCCHANNELS_PREEMPT` delays the thread at some of these points. In every other
/// build the points are empty and cost nothing.
@usableFromInline
enum Preemption {
  /// Stands wherever a preempted thread could make others wait, or see something that is half done.
  @inlinable @inline(__always)
  static func mayCome() {
    #if ASYNCCHANNELS_PREEMPT
      delayOneInMany()
    #endif
  }
}

#if ASYNCCHANNELS_PREEMPT
  extension Preemption {
    /// The delays follow from `ASYNCCHANNELS_PREEMPT_SEED`. Which thread meets which of them does not:
    /// all threads draw from one sequence.
    private static let seed: UInt64 =
      getenv("ASYNCCHANNELS_PREEMPT_SEED").map { UInt64(strtoull($0, nil, 10)) } ?? 1
    /// How many numbers were drawn. Relaxed, so that it orders nothing that the library does not.
    private static let drawn = Atomic<UInt64>(0)

    @usableFromInline
    static func delayOneInMany() {
      let number = random()
      guard number.isMultiple(of: 64) else { return }
      // The lowest six bits are zero here. The next five choose, the rest say how long.
      let length = number >> 11
      if (number >> 6).isMultiple(of: 32) {
        usleep(UInt32(truncatingIfNeeded: length % 2_000) + 1)
      } else {
        spin(nanoseconds: length % 800)
      }
    }

    /// Longer than most steps take, and too short for the system to notice.
    private static func spin(nanoseconds: UInt64) {
      let start = CurrentThread.uptime
      while CurrentThread.uptime &- start < nanoseconds {}
    }

    /// SplitMix64, whose state is a counter: so several threads can share it.
    private static func random() -> UInt64 {
      let step: UInt64 = 0x9E37_79B9_7F4A_7C15
      let count = drawn.wrappingAdd(1, ordering: .relaxed).newValue
      var number = seed &+ count &* step
      number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
      number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
      return number ^ (number >> 31)
    }
  }
#endif
