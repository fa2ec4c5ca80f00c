import Foundation
import Synchronization

/// What one thread or task is doing, for whoever has to explain a hang or a crash.
///
/// A handle on a slot that is never freed, so that it can be read at any time, by a signal handler
/// too. `@unchecked Sendable`: a slot is made of atomics.
package struct Activity: @unchecked Sendable {
  private struct Slot: ~Copyable {
    let doing = Atomic<UnsafePointer<UInt8>?>(nil)
    let count = Atomic<Int>(0)
    let seed = Atomic<UInt64>(0)
    let beats = Atomic<UInt64>(0)
    /// Keeps two slots from sharing a cache line.
    let padding: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  }

  private static let capacity = 256
  nonisolated(unsafe) private static let slots = {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: capacity)
    for index in 0..<capacity { (slots + index).initialize(to: Slot()) }
    return slots
  }()

  private let slot: UnsafeMutablePointer<Slot>

  /// - Parameter index: Which one. One thread or task at a time should use it.
  package init(_ index: Int) {
    slot = Self.slots + index % Self.capacity
  }

  /// Says from which seed all that follows is made.
  package func begin(seed: UInt64) {
    slot.pointee.seed.store(seed, ordering: .relaxed)
    note("begins")
  }

  /// Says what is done now, and with which of them. Also a sign of life.
  package func note(_ doing: StaticString, _ count: Int = 0) {
    slot.pointee.doing.store(doing.utf8Start, ordering: .relaxed)
    slot.pointee.count.store(count, ordering: .relaxed)
    slot.pointee.beats.add(1, ordering: .relaxed)
  }

  package func end() {
    slot.pointee.doing.store(nil, ordering: .relaxed)
    slot.pointee.beats.add(1, ordering: .relaxed)
  }

  /// Grows for as long as anybody does anything.
  static var beats: UInt64 {
    (0..<capacity).reduce(0) { $0 &+ slots[$1].beats.load(ordering: .relaxed) }
  }

  /// Prints what everybody is doing. Allocates nothing and takes no lock.
  static func printAll() {
    for index in 0..<capacity {
      guard let doing = slots[index].doing.load(ordering: .relaxed) else { continue }
      printRaw("  ")
      printRaw(UInt64(index))
      printRaw(": ")
      write(2, doing, strlen(doing))
      printRaw(" ")
      printRaw(UInt64(truncatingIfNeeded: slots[index].count.load(ordering: .relaxed)))
      let seed = slots[index].seed.load(ordering: .relaxed)
      if seed != 0 {
        printRaw(", seed ")
        printRaw(seed)
      }
      printRaw("\n")
    }
  }

  static func printRaw(_ text: StaticString) {
    write(2, text.utf8Start, text.utf8CodeUnitCount)
  }

  private static func printRaw(_ number: UInt64) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = number
      var first = 20
      repeat {
        first -= 1
        digits[first] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      } while rest > 0
      _ = write(2, digits.baseAddress! + first, 20 - first)
    }
  }
}
