public import Synchronization

/// A lock under which a user's code runs. So it knows its holder: taking it again on the same
/// thread traps with a sentence, rather than hanging or trapping without one.
@usableFromInline
struct WritersLock: ~Copyable, Sendable {
  @usableFromInline let lock = Locked(())
  /// The thread that holds the lock; zero for none. A thread's identifier is written and removed
  /// here only by that thread, so a relaxed read is enough to see whether it is this thread's.
  @usableFromInline let holder = Atomic<UInt>(0)
  /// If the holder is the closure of an inlet, which may read the value as it is before the change: the line in which the
  /// inlet was made; otherwise zero. Written by the holder, for itself.
  @usableFromInline let inletLine = Atomic<UInt>(0)

  @inlinable var holdingThread: UInt { holder.load(ordering: .relaxed) }
  @inlinable var line: UInt { inletLine.load(ordering: .relaxed) }

  @inlinable
  func withLock<R, Failure: Error>(
    of value: Any.Type, byInletIn line: UInt = 0, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    requireNotHeldByThisThread(of: value)
    var result: R?
    try lock.withLock { _ throws(Failure) in
      holder.store(CurrentThread.identifier, ordering: .relaxed)
      inletLine.store(line, ordering: .relaxed)
      defer { holder.store(0, ordering: .relaxed) }
      result = try body()
    }
    guard let result else { preconditionFailure("The body returned or threw.") }
    return result
  }

  @inlinable
  func requireNotHeldByThisThread(of value: @autoclosure () -> Any.Type) {
    if holdingThread != 0 { requireAnother(of: value()) }
  }

  @inlinable
  func requireReadableByThisThread(of value: @autoclosure () -> Any.Type) {
    if holdingThread != 0, line == 0 { requireAnother(of: value()) }
  }

  @usableFromInline
  func requireAnother(of value: Any.Type) {
    if holdingThread != CurrentThread.identifier { return }
    let inlet = line == 0 ? "" : ", by the inlet of line \(line)"
    Misuse.trap(
      "A CurrentValue<\(value)> was touched inside its own update\(inlet): use what the closure is given."
    )
  }
}
