/// What the faces of one state share: the log, whose replay window has the value (see
/// ``CurrentValue``), and what tells Observation of its accesses and changes.
@frozen @usableFromInline
struct StateRoot<Value: Sendable>: Sendable {
  @usableFromInline let log: BroadcastLog<Value>
  @usableFromInline let observed: ObservedValue

  init(log: BroadcastLog<Value>, observed: ObservedValue) {
    (self.log, self.observed) = (log, observed)
  }

  @inlinable
  var value: Value {
    observed.access()
    observed.writers.requireNotHeldByThisThread(of: Value.self)
    return log.newest ?? log.newest(after: observed.writers)
  }
}

/// The same without its type. Its values are in boxes (`StateValue`).
protocol AnyStateRoot: Sendable {
  var observed: ObservedValue { get }
  var untypedLog: BroadcastLogBase { get }
  /// How many values there were.
  var version: Int { get }
  var boxedValue: AnyStateValue { get }
  /// The same without waiting and without telling Observation; nil while somebody changes it in place.
  var boxedValueIfThere: AnyStateValue? { get }

  /// A subscription; and the last value, if the state is finished and the subscription gives
  /// nothing.
  func subscribe(
    buffering policy: BufferingPolicy?, mergedAt place: MergePlace
  ) -> (MergedCursor.Source, last: AnyStateValue?)
}

extension AnyStateRoot {
  var id: ObjectIdentifier { ObjectIdentifier(untypedLog) }
}

extension StateRoot: AnyStateRoot {
  var untypedLog: BroadcastLogBase { log }
  var version: Int { log.version }
  var boxedValue: AnyStateValue { StateValue(value) }
  var boxedValueIfThere: AnyStateValue? { log.newest.map { StateValue($0) } }

  func subscribe(
    buffering policy: BufferingPolicy?, mergedAt place: MergePlace
  ) -> (MergedCursor.Source, last: AnyStateValue?) {
    let cursor = log.subscribe(buffering: policy, mergedAt: place)
    let last = cursor.isPastTheEnd ? boxedValueIfThere : nil
    return (MergedCursor.Source(cursor), last)
  }
}
