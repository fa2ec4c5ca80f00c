/// How derived state comes from the states at its roots.
struct Derivation<Value: Sendable>: Sendable {
  /// Without duplicates: if a state is used twice, there is one subscription to it, so that one
  /// change of it is one change here.
  let roots: [AnyStateRoot]
  /// Computes the value from readings that have a value for each root.
  let read: @Sendable (StateReadings) -> Value
  /// Called once for each subscription. The gate it makes decides which changes of roots are
  /// changes of this state; it is called with each change of a root, in order.
  let makeGate: @Sendable () -> @Sendable (StateChange) -> Bool

  var value: Value {
    var readings = StateReadings()
    for root in roots { readings[root.id] = root.value() }
    return read(readings)
  }

  /// The same without waiting and without telling Observation; nil while one of the roots is changed in
  /// place.
  var valueIfThere: Value? {
    var readings = StateReadings()
    for root in roots {
      guard let value = root.valueIfThere() else { return nil }
      readings[root.id] = value
    }
    return read(readings)
  }

  var outlet: Outlet<Value> {
    if roots.isEmpty { return .just(value) }
    return Outlet(of: roots.map(\.log)) { [self] policy in
      let merge = StateMerge(of: roots, buffering: policy)
      let isChange = makeGate()
      let changes = Feed.derived(merge.cursor) { merge.take($0, as: $1) }
      return changes.deriving { change, _ in isChange(change) ? read(change.readings) : nil }
    }
  }
}

extension Derivation {
  /// A state that is derived from nothing but itself.
  init(of root: StateRoot<Value>) {
    let id = root.id
    self.init(roots: [AnyStateRoot(root)]) { readings in
      guard let value = readings[id] as? StateValue<Value> else {
        preconditionFailure("A derivation is read with a value for each of its roots.")
      }
      return value.value
    } makeGate: {
      { $0.changed == nil || $0.changed == id }
    }
  }
}

/// A value for each root of a derivation, as far as they are known.
typealias StateReadings = [ObjectIdentifier: any Sendable]

/// A value among values of other types. Without this box, an optional could not be told from what
/// is in it.
struct StateValue<Value: Sendable>: Sendable {
  let value: Value
}

/// A change of one of the roots of a derivation.
struct StateChange: Sendable {
  /// The root; nil for the first change, with which the values of all roots are known.
  let changed: ObjectIdentifier?
  let readings: StateReadings
  /// The ticket of the consumer that took it.
  let ticket: UInt64
}
