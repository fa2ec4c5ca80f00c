#if os(Windows)
  import CRT
  import WinSDK

  // What this package asks of a system, as in POSIX.swift: here, of Windows. This has only been compiled
  // against declarations; it has never run.

  @usableFromInline
  package enum CurrentThread {
    /// A number that no other living thread has; never zero.
    @usableFromInline
    package static var identifier: UInt { UInt(GetCurrentThreadId()) }

    /// Whether this is the main thread, as the runtime knows it: it gives this priority to no other.
    static var isMain: Bool { priorityOfThread() == 0x19 }

    /// Whether there may be others.
    static var hasOthers: Bool { true }
  }

  /// A place that each thread has for itself. What is in it when the thread ends is released.
  struct ThreadPlace: Sendable {
    private let index: DWORD

    init() {
      index = FlsAlloc { releaseContent($0) }
      precondition(index != FLS_OUT_OF_INDEXES, "FlsAlloc failed")
    }

    var content: UnsafeMutableRawPointer? {
      get { FlsGetValue(index) }
      nonmutating set { _ = FlsSetValue(index, newValue) }
    }
  }

  @_silgen_name("swift_task_getCurrentThreadPriority")
  private func priorityOfThread() -> Int

  func writeToStandardError(_ text: String) {
    _ = _write(2, text, UInt32(text.utf8.count))
  }
#endif
