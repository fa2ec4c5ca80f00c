/// State made of state. It has no task and no copy of its own: its ``StateOutlet/value`` is
/// computed when it is read, so that it is right immediately after a write; and a subscription to
/// it waits for all that it is derived from.
///
/// Closures run at each reading, and at least once for each change and subscriber. They should be
/// cheap, and give equal results for equal arguments.
extension StateOutlet {
  /// State that is what `transform` makes of this one.
  @inlinable
  public func map<Mapped>(
    _ transform: @escaping @Sendable (Value) -> Mapped
  ) -> StateOutlet<Mapped> {
    StateOutlet<Mapped>(
      .derived(
        DerivedState(onlyRoot: onlyRoot) {
          transform(value)
        } make: {
          derivation.map(
            following: { policy in
              feed(buffering: policy).deriving { value, _ in transform(value) }
            }, transform)
        }))
  }
}

extension StateOutlet where Value: Equatable {
  /// The same state; following it passes over values that equal the one before.
  ///
  /// Each subscription compares what it gets itself: its first value is always delivered.
  public func removeDuplicates() -> StateOutlet {
    StateOutlet(
      .derived(
        DerivedState(onlyRoot: onlyRoot, read: { value }, make: { derivation.removeDuplicates() })))
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
    let derivation = Derivation<Value>.combining(repeat (each parts).derivation)
    let read: @Sendable () -> Value = { (repeat (each parts).value) }
    return StateOutlet(
      .derived(
        DerivedState(
          onlyRoot: derivation.roots.count == 1 ? derivation.roots[0].id : nil,
          read: derivation.isOneShared ? nil : read, make: { derivation })))
  }

  /// State of two: a tuple of the values there are now, as `combine` of any number.
  ///
  /// Clients specialize this one: reading it costs hardly more than reading both.
  @inlinable
  public static func combine<First, Second>(
    _ first: StateOutlet<First>, _ second: StateOutlet<Second>
  ) -> StateOutlet where Value == (First, Second) {
    let make: @Sendable () -> Derivation<Value> = {
      Derivation.combining(first.derivation, second.derivation)
    }
    if first.sharesState(with: second) {
      let onlyRoot = first.onlyRoot == second.onlyRoot ? first.onlyRoot : nil
      return StateOutlet(.derived(DerivedState(onlyRoot: onlyRoot, read: nil, make: make)))
    }
    let read: @Sendable () -> Value = { (first.value, second.value) }
    return StateOutlet(.derived(DerivedState(onlyRoot: nil, read: read, make: make)))
  }

  /// State of three: a tuple of the values there are now, as `combine` of any number. Clients specialize it.
  @inlinable
  public static func combine<First, Second, Third>(
    _ first: StateOutlet<First>, _ second: StateOutlet<Second>, _ third: StateOutlet<Third>
  ) -> StateOutlet where Value == (First, Second, Third) {
    let make: @Sendable () -> Derivation<Value> = {
      Derivation.combining(first.derivation, second.derivation, third.derivation)
    }
    let isOneShared =
      first.sharesState(with: second) || first.sharesState(with: third)
      || second.sharesState(with: third)
    let read: @Sendable () -> Value = { (first.value, second.value, third.value) }
    let onlyRoot = first.onlyRoot
    let isOneRoot = onlyRoot == second.onlyRoot && onlyRoot == third.onlyRoot
    return StateOutlet(
      .derived(
        DerivedState(
          onlyRoot: isOneRoot ? onlyRoot : nil, read: isOneShared ? nil : read, make: make)))
  }
}
