#if DEBUG
  public import Synchronization
#endif

/// Finds, in a debug build, two tasks that use the only iterator of a cursor at once. The compiler (6.3.1)
/// lets `Mutex.withLock { $0 }` hand it to both, without a warning. Nothing in a release build.
@usableFromInline
struct SoleUse: ~Copyable, Sendable {
  #if DEBUG
    @usableFromInline let isInUse = Atomic(false)
  #endif

  @inlinable @inline(__always)
  func begin(of elementType: @autoclosure () -> Any.Type) {
    #if DEBUG
      if isInUse.exchange(true, ordering: .acquiring) { Self.report(elementType()) }
    #endif
  }

  @inlinable @inline(__always)
  func end() {
    #if DEBUG
      isInUse.store(false, ordering: .releasing)
    #endif
  }

  @usableFromInline
  static func report(_ elementType: Any.Type) -> Never {
    Misuse.trap(
      "Two tasks use one iterator of an outlet of \(elementType). An iterator belongs to one task: each "
        + "makes its own, or they share a subscription.")
  }
}
