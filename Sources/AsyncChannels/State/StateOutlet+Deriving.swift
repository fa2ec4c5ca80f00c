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
    StateOutlet<Mapped>(.derived(derivation.map(transform)))
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
    StateOutlet(.derived(derivation.removeDuplicates()))
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
  /// of it several times, as itself and mapped, a change of it is one change.
  ///
  /// Changes come in the order in which the states were written: each tuple is one that there was. A
  /// subscription with `.bufferingNewest` gets all changes that are ready in one step; one with
  /// `.bufferingOldest` gets a change together with those of other states that were dropped before it.
  ///
  /// It ends when all of its states have ended.
  public static func combine<each Part: Sendable>(
    _ parts: repeat StateOutlet<each Part>
  ) -> StateOutlet where Value == (repeat each Part) {
    let derivations = (repeat (each parts).derivation)
    var roots: [any AnyStateRoot] = []
    var known: Set<ObjectIdentifier> = []
    var isOneShared = false
    for derivation in repeat each derivations {
      for root in derivation.roots {
        if known.insert(root.id).inserted { roots.append(root) } else { isOneShared = true }
      }
    }
    var readDirectly: (@Sendable () -> Value)?
    if !isOneShared { readDirectly = { (repeat (each derivations).value) } }
    return StateOutlet(
      .derived(
        Derivation(
          roots: roots, read: { readings in (repeat (each derivations).read(readings)) },
          makeGate: {
            var gates: [@Sendable (StateChange) -> Bool] = []
            for derivation in repeat each derivations { gates.append(derivation.makeGate()) }
            return { [gates] change in
              // All of them are called, since each remembers what it saw.
              gates.reduce(false) { isChanged, gate in gate(change) || isChanged }
            }
          }, readDirectly: readDirectly, follow: nil)))
  }
}
