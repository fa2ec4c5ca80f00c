import Foundation
import Proof
import Synchronization

/// Two threads, this one and another, that do two things at the same instant, again and again.
///
/// They meet before each race, by spinning: what waits in the system to be woken comes too late. Where
/// the system runs them by turns all the same, that is noticed, and not counted as a race.
final class Lanes: Sendable {
  private struct Work: Sendable {
    let count: Int
    let seed: UInt64
    let core: Int
    let body: @Sendable (Int) -> Void
  }

  private let work = Monitor<Work?>(nil)
  /// How often a lane has come to the meeting, and how often it has done its part.
  private struct Lane: ~Copyable, Sendable {
    let met = Atomic(0)
    let done = Atomic(0)
    /// How often it began when the other had done its part already.
    let late = Atomic(0)
  }

  private let here = Lane()
  private let there = Lane()

  /// The other thread stays until the program ends.
  init() {
    Thread.detachNewThread { [self] in
      while true {
        let next = work.wait { $0 }!
        Cores.move(to: next.core)
        for index in 0..<next.count {
          Self.take(turn: index, next.seed, there, here) { next.body(index) }
        }
        work.change { $0 = nil }
      }
    }
  }

  /// Returns when both have done all of theirs: how many were done at the same time, as far as that
  /// neither lane began when the other was done.
  func race(
    _ count: Int, seed: UInt64, _ first: (Int) -> Void,
    against second: @escaping @Sendable (Int) -> Void
  ) -> Int {
    let lateBefore = late
    let core = Int(seed % 1024)
    work.change { $0 = Work(count: count, seed: seed &+ 1, core: core + 1, body: second) }
    Cores.move(to: core)
    for index in 0..<count {
      Self.take(turn: index, seed, here, there) { first(index) }
    }
    _ = work.wait { $0 == nil ? true : nil }
    return count - (late - lateBefore)
  }

  private var late: Int {
    here.late.load(ordering: .relaxed) + there.late.load(ordering: .relaxed)
  }

  private static func take(
    turn: Int, _ seed: UInt64, _ mine: borrowing Lane, _ other: borrowing Lane, _ body: () -> Void
  ) {
    let meeting = meet(mine.met, other.met)
    linger(seed, turn)
    if other.done.load(ordering: .relaxed) == meeting { mine.late.add(1, ordering: .relaxed) }
    body()
    mine.done.store(meeting, ordering: .relaxed)
  }

  /// Returns the number of the meeting.
  private static func meet(_ mine: borrowing Atomic<Int>, _ other: borrowing Atomic<Int>) -> Int {
    let turn = mine.add(1, ordering: .acquiringAndReleasing).newValue
    var spins = 0
    while other.load(ordering: .acquiring) < turn {
      spins += 1
      if spins > 300 { sched_yield() }
    }
    return turn
  }

  /// A random moment, mostly a short one, so that each of the two is the first at times.
  private static func linger(_ seed: UInt64, _ index: Int) {
    var random = SplitMix64(seed: seed &+ UInt64(index) &* 0x9E37)
    let longest = 1 << random.number(0...11)
    var sum: UInt64 = 0
    for _ in 0..<random.number(0...longest) { sum &+= random.next() }
    withExtendedLifetime(sum) {}
  }
}
