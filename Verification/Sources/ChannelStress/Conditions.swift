import Foundation
import Proof

/// What the machine is like. On an idle one with a thread for each task, a thread is hardly ever
/// preempted, and what waits for a thread that does not run passes unnoticed.
struct Conditions: Sendable {
  var busyThreads = 0
  var mixesPriorities = false
  var staysOnOneCore = false
  /// Nil for the system's pool.
  var ownThreads: Int?

  /// How many of a round's races there are. Two threads that race wait for each other by spinning. Beside
  /// busy threads that takes milliseconds each time, and the storms shall have most of a round.
  func share(of races: Int) -> Int {
    max(min(races, 16), races / (1 + 8 * busyThreads))
  }

  /// Makes it so. To be called before there is a thread besides the first.
  func make(seed: UInt64) {
    if staysOnOneCore, !Cores.stayOnOne() {
      complain("error: --one-core needs sched_setaffinity, which is Linux's")
      exit(64)
    }
    if mixesPriorities { Tasks.mixPriorities(seed: seed) }
    if let ownThreads { Tasks.useOwnThreads(ownThreads) }
    BusyThreads.start(busyThreads)
  }
}
