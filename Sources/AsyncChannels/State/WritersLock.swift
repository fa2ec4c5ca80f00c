public import Synchronization

/// A lock under which a user's code runs. So it knows its holder: taking it again on the same
/// thread traps with a sentence, rather than hanging or trapping without one.
@usableFromInline
struct WritersLock: ~Copyable, Sendable {
  @usableFromInline let lock = Locked(())
  /// The thread that holds the lock; zero for none. A thread's identifier is written and removed
  /// here only by that thread, so a relaxed read is enough to see whether it is this thread's.
  @usableFromInline let holder = Atomic<UInt>(0)
  /// Whether the holder may read the value as it is before the change. Written by the holder only, as above.
  @usableFromInline let isReadable = Atomic(false)

  @inlinable
  func withLock<R, Failure: Error>(
    of value: Any.Type, readable: Bool = false, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    requireNotHeldByThisThread(of: value)
    var result: R?
    try lock.withLock { _ throws(Failure) in
      holder.store(CurrentThread.identifier, ordering: .relaxed)
      if readable { isReadable.store(true, ordering: .relaxed) }
      defer {
        if readable { isReadable.store(false, ordering: .relaxed) }
        holder.store(0, ordering: .relaxed)
      }
      result = try body()
    }
    guard let result else { preconditionFailure("The body returned or threw.") }
    return result
  }

  @inlinable
  func requireNotHeldByThisThread(of value: @autoclosure () -> Any.Type) {
    let holder = holder.load(ordering: .relaxed)
    if holder != 0 { requireAnother(than: holder, of: value()) }
  }

  var isHeld: Bool { holder.load(ordering: .relaxed) != 0 }

  @inlinable
  func requireReadableByThisThread(of value: @autoclosure () -> Any.Type) {
    let holder = holder.load(ordering: .relaxed)
    if holder != 0, !isReadable.load(ordering: .relaxed) {
      requireAnother(than: holder, of: value())
    }
  }

  @usableFromInline
  func requireAnother(than holder: UInt, of value: Any.Type) {
    if holder != CurrentThread.identifier { return }
    Misuse.trap(
      "A CurrentValue<\(value)> was touched inside its own update: use what the closure is given.")
  }
}
