public import Synchronization

/// Finds, in a debug build, two threads that use at once what is not `Sendable`. The compiler (6.3.1) lets
/// `Mutex.withLock { $0 }` hand such a thing to two tasks, without a warning. Nothing in a release build.
@usableFromInline
struct SoleUse: ~Copyable, Sendable {
  #if DEBUG
    @usableFromInline let isInUse = Atomic(false)
  #endif

  /// - Parameter sentence: What a program is ended with that is in use already.
  @inlinable @inline(__always)
  func begin(else sentence: @autoclosure () -> String) {
    #if DEBUG
      if isInUse.exchange(true, ordering: .acquiring) { Diagnostics.programmerError(sentence()) }
    #endif
  }

  @inlinable @inline(__always)
  func end() {
    #if DEBUG
      isInUse.store(false, ordering: .releasing)
    #endif
  }
}
