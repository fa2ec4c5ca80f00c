import Synchronization

/// A value that can only be reached with its lock held: a `Mutex` that Thread Sanitizer
/// understands.
///
/// That of `AsyncChannels` is the package's own, and this folder compiles where it is copied to.
///
/// The sanitizer does not see how a contended `Mutex` is handed over, and would report races that
/// are none. It sees atomics: here, each holder acquires what the one before it released.
struct Locked<Value: Sendable>: ~Copyable {
  private let mutex: Mutex<Value>
  private let handOver = Atomic(false)

  init(_ initialValue: Value) {
    mutex = Mutex(initialValue)
  }

  func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    mutex.withLock { value in
      _ = handOver.load(ordering: .acquiring)
      defer { handOver.store(true, ordering: .releasing) }
      return body(&value)
    }
  }
}
