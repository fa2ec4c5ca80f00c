import Synchronization

@testable import AsyncChannels

/// What happened, in the order in which it did, wherever it did.
final class Record<Event: Sendable>: Sendable {
  private let list = Locked<[Event]>([])

  var events: [Event] { list.withLock { $0 } }

  var count: Int { list.withLock { $0.count } }

  func add(_ event: Event) {
    list.withLock { $0.append(event) }
  }
}

/// Something that one thread puts down and another takes away, so that it holds the last reference.
final class HandOver<Value: Sendable>: Sendable {
  private let value: Locked<Value?>

  init(_ value: Value) {
    self.value = Locked(value)
  }

  func peek(_ body: (Value) -> Void) {
    if let value = value.withLock({ $0 }) { body(value) }
  }

  func take() -> Value? {
    value.withLock { $0.take() }
  }
}
