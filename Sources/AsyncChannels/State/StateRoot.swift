/// What the faces of one state share: the log of its values, and who is told of its accesses.
///
/// The log keeps the newest element in its replay window: that *is* the value. There is no second
/// copy that could disagree with what is published.
struct StateRoot<Value: Sendable>: Sendable {
  let log: BroadcastLog<Value>
  let observed: ObservedValue

  var id: ObjectIdentifier { ObjectIdentifier(log) }

  var value: Value {
    observed.access()
    observed.writers.requireNotHeldByThisThread(of: Value.self)
    return log.newest
  }
}

/// The same without its type.
struct AnyStateRoot: Sendable {
  let id: ObjectIdentifier
  let value: @Sendable () -> any Sendable
  let version: @Sendable () -> Int
  /// A subscription; and the last value, if the state is finished and the subscription gives nothing.
  let subscribe: @Sendable (BufferingPolicy?) -> (MergedCursor.Source, last: (any Sendable)?)

  init<Value>(_ root: StateRoot<Value>) {
    id = root.id
    value = { StateValue(value: root.value) }
    version = { root.log.version }
    subscribe = { policy in
      let cursor = root.log.subscribe(buffering: policy)
      let last = cursor.isPastTheEnd ? StateValue(value: root.log.newest) : nil
      return (MergedCursor.Source(cursor) { StateValue(value: $0) }, last)
    }
  }
}
