import Foundation
import Proof
import Synchronization

/// Where two threads meet, again and again, to do something at the same instant.
///
/// By spinning: what waits in the system to be woken comes too late. Where the system runs the two by
/// turns all the same, that is noticed.
final class Rendezvous: Sendable {
  enum Side {
    case here, there
  }

  private final class Progress: Sendable {
    let met = Atomic(0)
    let done = Atomic(0)
    /// How often this side began when the other was done already.
    let late = Atomic(0)
  }

  private let here = Progress()
  private let there = Progress()
  private let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
  }

  /// In how many meetings one side began when the other was done.
  var late: Int {
    here.late.load(ordering: .relaxed) + there.late.load(ordering: .relaxed)
  }

  /// Returns when both are here, after a random moment: so each is the first at times.
  func begin(_ side: Side) {
    let (mine, other) = progress(side)
    let turn = mine.met.add(1, ordering: .acquiringAndReleasing).newValue
    var spins = 0
    while other.met.load(ordering: .acquiring) < turn {
      spins += 1
      if spins > 300 { sched_yield() }
    }
    linger(side, turn)
    if other.done.load(ordering: .relaxed) == turn { mine.late.add(1, ordering: .relaxed) }
  }

  /// Says that what was to be done is done.
  func end(_ side: Side) {
    progress(side).mine.done.add(1, ordering: .relaxed)
  }

  private func progress(_ side: Side) -> (mine: Progress, other: Progress) {
    side == .here ? (here, there) : (there, here)
  }

  /// Mostly a short moment.
  private func linger(_ side: Side, _ turn: Int) {
    var random = SplitMix64(seed: seed &+ UInt64(2 * turn + (side == .here ? 0 : 1)))
    let longest = 1 << random.number(0...11)
    var sum: UInt64 = 0
    for _ in 0..<random.number(0...longest) { sum &+= random.next() }
    withExtendedLifetime(sum) {}
  }
}
