/// What the faces of one state share: the log, whose replay window has the value (see
/// ``CurrentValue``), and what tells Observation of its accesses and changes.
struct StateRoot<Value: Sendable>: Sendable {
  let log: BroadcastLog<Value>
  let observed: ObservedValue

  var id: ObjectIdentifier { ObjectIdentifier(log) }

  var value: Value {
    observed.access()
    observed.writers.requireNotHeldByThisThread(of: Value.self)
    return log.newest ?? log.newest(after: observed.writers)
  }
}

/// The same without its type.
struct AnyStateRoot: Sendable {
  let id: ObjectIdentifier
  let value: @Sendable () -> any Sendable
  /// The same without waiting and without telling Observation; nil while somebody changes it in place.
  let valueIfThere: @Sendable () -> (any Sendable)?
  let observed: ObservedValue
  let version: @Sendable () -> Int
  let log: BroadcastLogBase
  /// A subscription; and the last value, if the state is finished and the subscription gives
  /// nothing.
  let subscribe: @Sendable (BufferingPolicy?) -> (MergedCursor.Source, last: (any Sendable)?)

  init<Value>(_ root: StateRoot<Value>) {
    id = root.id
    value = { StateValue(value: root.value) }
    valueIfThere = { root.log.newest.map { StateValue(value: $0) } }
    observed = root.observed
    version = { root.log.version }
    log = root.log
    subscribe = { policy in
      let cursor = root.log.subscribe(buffering: policy)
      let last = cursor.isPastTheEnd ? root.log.newest.map { StateValue(value: $0) } : nil
      return (MergedCursor.Source(cursor) { StateValue(value: $0) }, last)
    }
  }
}
