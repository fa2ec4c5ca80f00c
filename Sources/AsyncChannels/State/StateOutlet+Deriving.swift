/// State made of state. It has no task and no copy of its own: its ``StateOutlet/value`` is
/// computed when it is read, so that it is right immediately after a write; and a subscription to
/// it waits for all that it is derived from.
///
/// Closures run at each reading, and at least once for each change and subscriber. They should be
/// cheap, and give equal results for equal arguments.
extension StateOutlet {
  /// State that is what `transform` makes of this one.
  public func map<Mapped>(
    _ transform: @escaping @Sendable (Value) -> Mapped
  ) -> StateOutlet<Mapped> {
    let base = derivation
    return StateOutlet<Mapped>(
      .derived(
        Derivation(
          roots: base.roots, read: { transform(base.read($0)) }, makeGate: base.makeGate)))
  }

  /// This state as a part of another.
  var derivation: Derivation<Value> {
    switch source {
    case .derived(let derivation): derivation
    case .state(let root): Derivation(of: root)
    }
  }
}

extension StateOutlet where Value: Equatable {
  /// The same state; following it passes over values that equal the one before.
  ///
  /// Each subscription compares what it gets itself: its first value is always delivered.
  public func removeDuplicates() -> StateOutlet {
    let base = derivation
    return StateOutlet(
      .derived(
        Derivation(roots: base.roots, read: base.read) {
          let isChanged = base.makeGate()
          let previous = Previous<Value>()
          return { change in
            isChanged(change) && previous.isReplaced(by: base.read(change.readings), change.ticket)
          }
        }))
  }
}

extension StateOutlet {
  /// State of several: a tuple of the values there are now.
  ///
  /// ```swift
  /// let isComplete = StateOutlet.combine(name, password).map { !$0.isEmpty && $1.count >= 8 }
  /// ```
  ///
  /// Following it begins with the tuple of the values there are, and gives one for each change of
  /// any of them. No part of a tuple is ever older than in the one before. Where one state is part
  /// of it several times, as itself and mapped, a change of it is one change. Changes of different
  /// states that were made one after the other may be delivered in either order.
  ///
  /// It ends when all of its states have ended.
  public static func combine<each Part: Sendable>(
    _ parts: repeat StateOutlet<each Part>
  ) -> StateOutlet where Value == (repeat each Part) {
    var roots: [AnyStateRoot] = []
    for part in repeat each parts {
      for root in part.derivation.roots where !roots.contains(where: { $0.id == root.id }) {
        roots.append(root)
      }
    }
    let derivations = (repeat (each parts).derivation)
    return StateOutlet(
      .derived(
        Derivation(roots: roots) { readings in
          (repeat (each derivations).read(readings))
        } makeGate: {
          var gates: [@Sendable (StateChange) -> Bool] = []
          for derivation in repeat each derivations { gates.append(derivation.makeGate()) }
          return { [gates] change in
            // All of them are called, since each remembers what it saw.
            gates.reduce(false) { isChanged, gate in gate(change) || isChanged }
          }
        }))
  }
}
