import Synchronization

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
    if let evaluation = observed.access() {
      return value(of: log, observed, in: evaluation)
    }
    return untrackedValue(of: log, observed)
  }

  /// The same, for a closure of derived state.
  @inlinable @inline(never)
  static func value(
    of log: BroadcastLog<Value>, _ observed: ObservedValue, in evaluation: Evaluation
  ) -> Value {
    let root = AnyStateRoot(observed)
    if evaluation.willRead(root), let known = evaluation.gatheredValue(of: root),
      let value = known as? Value
    {
      return value
    }
    observed.writers.requireReadableByThisThread(of: Value.self)
    while true {
      let version = root.version
      if let value = log.newest {
        // Another may have come in between.
        guard root.version == version else { continue }
        evaluation.noteRead(root, version)
        return value
      }
      // It is changed in place.
      observed.writers.withLock(of: Value.self) {}
    }
  }

  /// The same, of which Observation hears nothing.
  @inlinable
  static func untrackedValue(of log: BroadcastLog<Value>, _ observed: ObservedValue) -> Value {
    observed.writers.requireReadableByThisThread(of: Value.self)
    return log.newest ?? log.newest(after: observed.writers)
  }
}

/// A state that is written, without the type of its value.
@frozen @usableFromInline
struct AnyStateRoot: Sendable {
  /// This alone is kept of each that was read. The log is found through it.
  @usableFromInline let observed: ObservedValue

  @inlinable
  init(_ observed: ObservedValue) { self.observed = observed }

  var log: BroadcastLogBase {
    guard let log = observed.log else { preconditionFailure("A binding is not read in this way.") }
    return log
  }
  /// Another state may have it when this is gone: who keeps it keeps this, too.
  var id: ObjectIdentifier { ObjectIdentifier(observed) }
  @usableFromInline var version: Int { log.version.load(ordering: .acquiring) }

  /// Its version, for a reading. Traps if this thread is changing the value.
  @inline(never)
  func look() -> Int {
    observed.writers.requireReadableByThisThread(of: log.elementType)
    return version
  }
}
