import Synchronization

/// A count that several tasks raise.
final class Tally: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .sequentiallyConsistent) }

  /// Returns the count with this one.
  @discardableResult
  func raise() -> Int {
    count.wrappingAdd(1, ordering: .relaxed).newValue
  }
}

/// A value behind a lock, for several tasks.
final class Shared<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  init(_ value: Value) {
    mutex = Mutex(value)
  }

  func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    mutex.withLock { body(&$0) }
  }
}

/// A stream for each subscriber, which is what one does with the standard library alone.
final class StreamDictionary<Element: Sendable>: Sendable {
  private let listeners = Shared<[Int: AsyncStream<Element>.Continuation]>([:])

  func subscribe() -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
    listeners.withLock { $0[$0.count] = continuation }
    return stream
  }

  func send(_ element: Element) {
    listeners.withLock { for continuation in $0.values { continuation.yield(element) } }
  }

  func finish() {
    listeners.withLock { for continuation in $0.values { continuation.finish() } }
  }
}
