import Foundation
import Proof
import Synchronization

/// Faults of the kinds that the log could have, for a sanitizer to find: silence is only worth
/// something from one that speaks when it should.
enum Planted {
  private static let count = 1_000

  /// `@unchecked Sendable`: that is the fault.
  private final class Log: @unchecked Sendable {
    let slots = UnsafeMutablePointer<Int>.allocate(capacity: count)
    let published = Atomic(0)
  }

  /// Slots that are published without a release and read without an acquire.
  static func race() {
    let log = Log()
    Thread.detachNewThread {
      for slot in 0..<count {
        log.slots[slot] = slot
        log.published.store(slot + 1, ordering: .relaxed)
      }
    }
    var sum = 0
    for slot in 0..<count {
      while log.published.load(ordering: .relaxed) <= slot { sched_yield() }
      sum += log.slots[slot]
    }
    print("A data race was made, and \(sum) read. Only Thread Sanitizer can tell.")
  }

  /// A slot that is read after the last one who held its segment has let go.
  static func useAfterFree() {
    let log = Log()
    log.slots.initialize(repeating: 1, count: count)
    log.slots.deallocate()
    print("Freed memory was read: \(log.slots[count / 2]). Only Address Sanitizer can tell.")
  }
}
