import Foundation
import Synchronization

/// Threads that compute and nothing else, as other programs on the same machine do: they want every
/// core that is left to them, so the system preempts the threads that are tested.
package enum BusyThreads {
  /// Written once a while, so that the compiler cannot take the loop for one without an effect.
  private static let sum = Atomic<UInt64>(0)

  /// They compute until the program ends.
  package static func start(_ count: Int) {
    for number in 0..<count {
      Thread.detachNewThread {
        var random = SplitMix64(seed: UInt64(number))
        while true {
          let part = (0..<4_096).reduce(0) { sum, _ in sum ^ random.next() }
          sum.bitwiseXor(part, ordering: .relaxed)
        }
      }
    }
  }
}
