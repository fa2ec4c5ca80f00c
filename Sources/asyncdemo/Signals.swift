#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  import Dispatch
  import Synchronization

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif

  /// What happens when a signal asks the program to end.
  enum Signals {
    /// The handler only writes the signal's number into a pipe. What is then to be done need not be
    /// safe in a signal handler, and is done by a thread of its own. A closed output is found out by
    /// writing.
    /// A second signal ends it immediately.
    static func handle() {
      openClosedDescriptors()
      signal(SIGPIPE, SIG_IGN)
      // Made here: a handler must not be the first to use it.
      let end = wakeUp.read
      _ = hasCome.load(ordering: .relaxed)
      for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
        let former = signal(number) { number in
          if hasCome.exchange(true, ordering: .relaxed) { _exit(128 + number) }
          var byte = UInt8(truncatingIfNeeded: number)
          _ = write(wakeUp.write, &byte, 1)
        }
        // As `nohup` wants it.
        if number == SIGHUP, isIgnoring(former) { signal(number, SIG_IGN) }
      }
      DispatchQueue(label: "asyncdemo.signals").async {
        var number: UInt8 = 0
        while read(end, &number, 1) != 1 {}
        TerminalEcho.shared.restore(isFinal: true)
        lastAct.withLock { act in
          act?()
          act = nil
        }
        // The status a shell would show for a program that the signal had ended.
        _exit(128 + Int32(number))
      }
    }

    /// Has something done when a signal ends the program, before it ends.
    static func beforeEnding(_ act: @escaping @Sendable () -> Void) {
      lastAct.withLock { $0 = act }
    }

    /// Does it instead, unless a signal has come first. One that comes meanwhile waits for its end.
    static func unlessEnding(_ act: () throws -> Void) rethrows {
      try lastAct.withLock { last in
        guard last != nil else { return }
        last = nil
        try act()
      }
    }
  }

  private let hasCome = Atomic(false)
  private let lastAct = Mutex<(@Sendable () -> Void)?>(nil)

  /// Whether a handler is the one that ignores. Functions cannot be compared.
  private func isIgnoring(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
    unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// The pipe from the handler to the thread.
  private let wakeUp: (read: Int32, write: Int32) = {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    return (ends[0], ends[1])
  }()
#endif
