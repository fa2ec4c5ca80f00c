import Foundation
import Proof
import Synchronization

/// Two threads, this one and another, that do two things at the same instant, again and again.
///
/// They meet before each race, by spinning: what waits in the system to be woken comes too late.
final class Lanes: Sendable {
  private struct Work: Sendable {
    let count: Int
    let seed: UInt64
    let body: @Sendable (Int) -> Void
  }

  private let work = Monitor<Work?>(nil)
  private let here = Atomic(0)
  private let there = Atomic(0)

  /// The other thread stays until the program ends.
  init() {
    Thread.detachNewThread { [self] in
      while true {
        let next = work.wait { $0 }!
        for index in 0..<next.count {
          Self.meet(there, here)
          Self.linger(next.seed, index)
          next.body(index)
        }
        work.change { $0 = nil }
      }
    }
  }

  /// Returns when both have done all of theirs.
  func race(
    _ count: Int, seed: UInt64, _ first: (Int) -> Void,
    against second: @escaping @Sendable (Int) -> Void
  ) {
    work.change { $0 = Work(count: count, seed: seed &+ 1, body: second) }
    for index in 0..<count {
      Self.meet(here, there)
      Self.linger(seed, index)
      first(index)
    }
    _ = work.wait { $0 == nil ? true : nil }
  }

  private static func meet(_ mine: borrowing Atomic<Int>, _ other: borrowing Atomic<Int>) {
    let turn = mine.add(1, ordering: .acquiringAndReleasing).newValue
    var spins = 0
    while other.load(ordering: .acquiring) < turn {
      spins += 1
      if spins > 300 { sched_yield() }
    }
  }

  /// A random moment, so that each of the two is the first at times.
  private static func linger(_ seed: UInt64, _ index: Int) {
    var random = SplitMix64(seed: seed &+ UInt64(index) &* 0x9E37)
    for _ in 0..<random.number(0...30) { _ = random.next() }
  }
}
