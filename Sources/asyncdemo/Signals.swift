import Dispatch

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
  static func handle() {
    openClosedDescriptors()
    signal(SIGPIPE, SIG_IGN)
    // Made here: a handler must not be the first to use it.
    let end = wakeUp.read
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      let former = signal(number) { number in
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
      // The status a shell would show for a program that the signal had ended.
      _exit(128 + Int32(number))
    }
  }
}

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
