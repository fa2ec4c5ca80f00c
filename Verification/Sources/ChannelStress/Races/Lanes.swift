import Foundation
import Proof

/// Two threads, this one and another, that do two things at the same instant, again and again.
final class Lanes: Sendable {
  private struct Work: Sendable {
    let count: Int
    let rendezvous: Rendezvous
    let core: Int
    let body: @Sendable (Int) -> Void
  }

  private let work = Monitor<Work?>(nil)

  /// The other thread stays until the program ends.
  init() {
    Thread.detachNewThread { [self] in
      while true {
        let next = work.wait { $0 }!
        Cores.move(to: next.core)
        for index in 0..<next.count {
          next.rendezvous.begin(.there)
          next.body(index)
          next.rendezvous.end(.there)
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
    let rendezvous = Rendezvous(seed: seed)
    let core = Int(seed % 1024)
    work.change { $0 = Work(count: count, rendezvous: rendezvous, core: core + 1, body: second) }
    Cores.move(to: core)
    for index in 0..<count {
      rendezvous.begin(.here)
      first(index)
      rendezvous.end(.here)
    }
    _ = work.wait { $0 == nil ? true : nil }
    return count - rendezvous.late
  }
}
