/// How derived state comes from the states at its roots.
@usableFromInline
final class Derivation<Value: Sendable>: Sendable {
  /// Without duplicates: if a state is used twice, there is one subscription to it, so that one
  /// change of it is one change here.
  let roots: [any AnyStateRoot]
  /// Computes the value from readings that have a value for each root.
  let read: @Sendable (inout StateReadings) -> Value
  /// Called once for each subscription, or for each part that this is. The gate it makes decides which changes
  /// of roots are changes of this state; it is called with each change of a root, in order.
  let makeGate: @Sendable (StateGates) -> StateGate
  /// Follows the only root, without a merge. Nil if there is another number of them.
  let follow: (@Sendable (BufferingPolicy?) -> Feed<Value>)?

  /// Whether a state is part of it several times.
  let isOneShared: Bool

  init(
    roots: [any AnyStateRoot], read: @escaping @Sendable (inout StateReadings) -> Value,
    makeGate: @escaping @Sendable (StateGates) -> StateGate,
    follow: (@Sendable (BufferingPolicy?) -> Feed<Value>)?, isOneShared: Bool = false
  ) {
    self.roots = roots
    self.read = read
    self.makeGate = makeGate
    self.follow = follow
    self.isOneShared = isOneShared
  }

  var value: Value {
    var readings = StateReadings()
    for root in roots { readings.values[root.id] = root.boxedValue }
    return read(&readings)
  }

  /// The same without waiting and without telling Observation; nil while one of the roots is changed in
  /// place.
  var valueIfThere: Value? {
    var readings = StateReadings()
    for root in roots {
      guard let value = root.boxedValueIfThere else { return nil }
      readings.values[root.id] = value
    }
    return read(&readings)
  }

  var outlet: Outlet<Value> {
    if roots.isEmpty { return .just(value) }
    let logs = roots.map(\.untypedLog)
    if let follow { return Outlet(of: logs, follow) }
    return Outlet(of: logs) { [self] policy in
      let merge = StateMerge(of: roots, buffering: policy)
      let isChange = makeGate(StateGates())
      let changes = Feed.derived(merge.cursor) { merge.take($0, as: $1) }
      return changes.deriving { change, _ in isChange(change) ? change.value(of: self) : nil }
    }
  }
}

extension Derivation {
  /// A state that is derived from nothing but itself.
  convenience init(of root: StateRoot<Value>) {
    let id = root.id
    self.init(roots: [root]) { readings in
      guard let value = readings.values[id] as? StateValue<Value> else {
        preconditionFailure("A derivation is read with a value for each of its roots.")
      }
      return value.value
    } makeGate: { _ in
      { $0.changed?.contains(id) ?? true }
    } follow: {
      .cursor(root.log.subscribe(buffering: $0))
    }
  }

  /// A state that never changes.
  convenience init(constant value: Value) {
    self.init(
      roots: [], read: { _ in value }, makeGate: { _ in { $0.changed == nil } }, follow: nil)
  }

  /// - Parameter follow: Follows the only root, if there is one.
  @usableFromInline
  func map<Mapped>(
    following follow: @escaping @Sendable (BufferingPolicy?) -> Feed<Mapped>,
    _ transform: @escaping @Sendable (Value) -> Mapped
  ) -> Derivation<Mapped> {
    let read = read
    return Derivation<Mapped>(
      roots: roots, read: { transform(read(&$0)) }, makeGate: makeGate,
      follow: self.follow == nil ? nil : follow)
  }

  @usableFromInline
  func sharesState<Other>(with other: Derivation<Other>) -> Bool {
    let ids = Set(roots.map(\.id))
    return other.roots.contains { ids.contains($0.id) }
  }
}

extension Derivation {
  @usableFromInline
  static func combining<each Part: Sendable>(
    _ parts: repeat Derivation<each Part>
  ) -> Derivation where Value == (repeat each Part) {
    var roots: [any AnyStateRoot] = []
    var known: Set<ObjectIdentifier> = []
    var partCount = 0
    for part in repeat each parts {
      for root in part.roots where known.insert(root.id).inserted { roots.append(root) }
      partCount += part.roots.count
    }
    let read: @Sendable (inout StateReadings) -> Value = { readings in
      (repeat (each parts).read(&readings))
    }
    let makeGate: @Sendable (StateGates) -> StateGate = { made in
      var gates: [StateGate] = []
      for part in repeat each parts { gates.append(part.makeGate(made)) }
      return { [gates] change in
        // All of them are called, since each remembers what it saw.
        gates.reduce(false) { isChanged, gate in gate(change) || isChanged }
      }
    }
    // Where state is combined with itself again and again, the ways to it double each time. So each such
    // combination is computed once in a reading, and its gate is asked once for a change.
    guard partCount > roots.count else {
      return Derivation(roots: roots, read: read, makeGate: makeGate, follow: nil)
    }
    let once = StateOnce()
    return Derivation(
      roots: roots, read: { once.read(&$0, read) }, makeGate: { once.makeGate($0, makeGate) },
      follow: nil, isOneShared: true)
  }
}

extension Derivation where Value: Equatable {
  func removeDuplicates() -> Derivation {
    let (read, makeBaseGate) = (read, makeGate)
    var followChanges: (@Sendable (BufferingPolicy?) -> Feed<Value>)?
    if let follow {
      followChanges = { policy in
        let previous = Previous<Value>()
        return follow(policy).deriving { previous.isReplaced(by: $0, $1) ? $0 : nil }
      }
    }
    let makeGate: @Sendable (StateGates) -> StateGate = { made in
      let isChanged = makeBaseGate(made)
      let previous = Previous<Value>()
      return { change in
        guard isChanged(change) else { return false }
        var readings = change.readings
        return previous.isReplaced(by: read(&readings), change.ticket)
      }
    }
    return Derivation(
      roots: roots, read: read, makeGate: makeGate, follow: followChanges)
  }
}
