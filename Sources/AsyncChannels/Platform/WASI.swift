#if os(WASI)
  import WASILibc
  #if canImport(wasi_pthread)
    import wasi_pthread
  #endif

  // What this package asks of a system, as in POSIX.swift: here, of WASI, with threads or without. This has only
  // been compiled against declarations; it has never run.

  @usableFromInline
  package enum CurrentThread {
    /// A number that no other living thread has; never zero.
    @usableFromInline
    package static var identifier: UInt {
      #if _runtime(_multithreaded)
        UInt(bitPattern: pthread_self())
      #else
        1
      #endif
    }

    /// Whether this is the main thread. The runtime of 6.3 cannot tell threads apart, so with threads this says no: then
    /// observers are told by a job of the main actor.
    static var isMain: Bool {
      #if _runtime(_multithreaded)
        false
      #else
        true
      #endif
    }

    /// Whether there may be others that run tasks.
    static var hasOthers: Bool { false }
  }

  #if !_runtime(_multithreaded)
    /// A place that the only thread has for itself.
    final class ThreadPlace: Sendable {
      nonisolated(unsafe) var content: UnsafeMutableRawPointer?
    }
  #endif

  func writeToStandardError(_ text: String) {
    _ = write(2, text, text.utf8.count)
  }
#endif
