/// What the faces of one state share: the log, whose replay window has the value (see
/// ``CurrentValue``), and what tells Observation of its accesses and changes.
@frozen @usableFromInline
struct StateRoot<Value: Sendable>: Sendable {
  @usableFromInline let log: BroadcastLog<Value>
  @usableFromInline let observed: ObservedValue

  @inlinable
  init(log: BroadcastLog<Value>, observed: ObservedValue) {
    (self.log, self.observed) = (log, observed)
  }

  @inlinable
  var value: Value { Self.value(of: log, observed) }

  @inlinable
  static func value(of log: BroadcastLog<Value>, _ observed: ObservedValue) -> Value {
    observed.access()
    return untrackedValue(of: log, observed)
  }

  /// The same, of which Observation hears nothing.
  @inlinable
  static func untrackedValue(of log: BroadcastLog<Value>, _ observed: ObservedValue) -> Value {
    observed.writers.requireReadableByThisThread(of: Value.self)
    return log.newest ?? log.newest(after: observed.writers)
  }
}
