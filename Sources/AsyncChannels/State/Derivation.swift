/// How derived state comes from the states at its roots.
struct Derivation<Value: Sendable>: Sendable {
  /// Each once: what is derived twice from one state has one subscription to it, so that one change
  /// of it is one change here.
  let roots: [AnyStateRoot]
  /// Computes the value. The readings have all the roots.
  let read: @Sendable (StateReadings) -> Value
  /// Called once for each subscription: tells what is a change for this derivation. It is asked about
  /// each change of a root, in order.
  let makeGate: @Sendable () -> @Sendable (StateChange) -> Bool

  init(
    roots: [AnyStateRoot], read: @escaping @Sendable (StateReadings) -> Value,
    makeGate: @escaping @Sendable () -> @Sendable (StateChange) -> Bool
  ) {
    self.roots = roots
    self.read = read
    self.makeGate = makeGate
  }

  /// What a state is for itself.
  init(of root: StateRoot<Value>) {
    let id = root.id
    self.init(roots: [AnyStateRoot(root)]) { readings in
      readings[id, as: Value.self]
    } makeGate: {
      { $0.changed == nil || $0.changed == id }
    }
  }

  var value: Value {
    var readings = StateReadings()
    for root in roots { readings[root.id] = root.value() }
    return read(readings)
  }

  var outlet: Outlet<Value> {
    if roots.isEmpty { return .just(value) }
    return Outlet { [self] policy in
      let merge = StateMerge(of: roots, buffering: policy)
      let isChange = makeGate()
      return .derived(merge.cursor) { ticket, evenIfCancelled in
        switch merge.take(as: ticket, evenIfCancelled: evenIfCancelled) {
        case .change(let change): isChange(change) ? .element(read(change.readings)) : .skipped
        case .incomplete: .skipped
        case nil: .nothing
        }
      }
    }
  }
}

/// The values of the states that some other is derived from.
struct StateReadings: Sendable {
  private var values: [ObjectIdentifier: any Sendable] = [:]

  var count: Int { values.count }

  subscript(id: ObjectIdentifier) -> (any Sendable)? {
    get { values[id] }
    set { values[id] = newValue }
  }

  subscript<Value: Sendable>(id: ObjectIdentifier, as _: Value.Type) -> Value {
    guard let value = values[id] as? StateValue<Value> else {
      preconditionFailure("A derivation is read with a value for each of its roots.")
    }
    return value.value
  }
}

/// A value among those of other types. By itself, an optional could not be told from what is in it.
struct StateValue<Value: Sendable>: Sendable {
  let value: Value
}

/// A change of one of the states that some other is derived from.
struct StateChange: Sendable {
  /// Nil for the first, with which the values of all are known.
  let changed: ObjectIdentifier?
  let readings: StateReadings
  /// The consumer's.
  let ticket: UInt64
}
