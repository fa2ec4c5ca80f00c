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

/// What happens when somebody wants the program to end.
enum Signals {
  /// Call it first: threads that are started later inherit what is blocked here.
  ///
  /// Signals are waited for by a thread of their own rather than handled, so that what is done then
  /// need not be safe in a signal handler. A closed output is found out by writing to it.
  static func handle() {
    signal(SIGPIPE, SIG_IGN)
    var awaited = sigset_t()
    sigemptyset(&awaited)
    sigaddset(&awaited, SIGINT)
    sigaddset(&awaited, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &awaited, nil)
    DispatchQueue(label: "asyncdemo.signals").async { [awaited] in
      var awaited = awaited
      var number: Int32 = 0
      while sigwait(&awaited, &number) != 0 {}
      TerminalEcho.shared.restore()
      // The status a shell would show for a program that the signal had ended.
      _exit(128 + number)
    }
  }
}
