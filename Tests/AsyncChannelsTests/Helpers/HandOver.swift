import Synchronization

@testable import AsyncChannels

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
