import Foundation

/// Turns a hang and a crash into a failure that says what everybody was doing.
package enum Watchdog {
  /// The status with which a hang ends the program.
  package static let hangStatus: Int32 = 2

  /// Starts to watch, on a thread of its own: a hang may have all of the tasks' threads.
  ///
  /// - Parameter patience: For how many seconds nobody has to note anything before that is a hang.
  package static func start(patience: Int) {
    explainCrashes()
    Thread.detachNewThread {
      var last = Activity.beats
      var quiet = 0
      while quiet < patience {
        sleep(1)
        let beats = Activity.beats
        quiet = beats == last ? quiet + 1 : 0
        last = beats
      }
      Activity.printRaw("FAILED: hung. Nothing has happened for some seconds; at work are:\n")
      Activity.printAll()
      _exit(hangStatus)
    }
  }

  /// The handler only writes. Then the signal takes its course: no backtrace, which has been seen to
  /// hang itself.
  private static func explainCrashes() {
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
      signal(number) { number in
        Activity.printRaw("FAILED: crashed. At work were:\n")
        Activity.printAll()
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }
}
