extension StateOutlet {
  /// Derived state: `transform` applied to this state.
  ///
  /// It has no task and no copy of its own. ``StateOutlet/value`` is computed when it is read, so it is right
  /// immediately after a write. The closure runs at each reading, and for each subscriber when this state has changed.
  /// It should be cheap, and give equal results for equal arguments. What else it reads is not followed: pass that to
  /// `combine`.
  @inlinable
  public func map<Mapped>(
    _ transform: @escaping @Sendable (Value) -> Mapped
  ) -> StateOutlet<Mapped> {
    let follow: DerivedState<Mapped>.Follow = {
      upstream(buffering: $0).deriving { value, _ in transform(value) }
    }
    return StateOutlet<Mapped>(
      .derived(
        DerivedState(of: [part], follow: isFollowedAlone ? follow : nil) {
          transform(value(at: $0))
        }))
  }
}

extension StateOutlet {
  /// An outlet of the values that satisfy `isIncluded`, beginning with the value there is now. It is no state: there may
  /// be no such value.
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Outlet<Value> {
    outlet.filter(isIncluded)
  }

  /// An outlet of the results of `transform`, without those that are `nil`, as with ``filter(_:)``.
  @inlinable
  public func compactMap<Mapped>(
    _ transform: @escaping @Sendable (Value) -> Mapped?
  ) -> Outlet<Mapped> {
    outlet.compactMap(transform)
  }
}

extension StateOutlet where Value: Equatable {
  /// This state without values that equal the one before.
  ///
  /// Each subscription compares what it gets itself: its first value is always delivered.
  public func removeDuplicates() -> StateOutlet {
    let follow: DerivedState<Value>.Follow = {
      let previous = Previous<Value>()
      return upstream(buffering: $0).deriving { previous.isReplaced(by: $0, $1) ? $0 : nil }
    }
    return StateOutlet(
      .derived(
        DerivedState(
          of: [part], follow: isFollowedAlone ? follow : nil,
          differs: { $0.before.map { value(at: $0) } != value(at: $0) },
          read: { value(at: $0) })))
  }
}

extension StateOutlet {
  /// State of several: a tuple of the values there are now.
  ///
  /// ```swift
  /// let isComplete = StateOutlet.combine(name, password).map { !$0.isEmpty && $1.count >= 8 }
  /// ```
  ///
  /// Following it begins with the tuple of the values there are. After that each step gives the tuple of the newest
  /// values, if one of them has changed since the last step: what came in between is passed over. Each tuple is one
  /// that there was at some moment, and none is older than the one before. Where one state is part of it several
  /// times, as itself and mapped, a change of it is one change.
  ///
  /// It ends when all of its states have ended.
  public static func combine<each Part: Sendable>(
    _ parts: repeat StateOutlet<each Part>
  ) -> StateOutlet where Value == (repeat each Part) {
    var all: [StatePart] = []
    for part in repeat each parts { all.append(part.part) }
    let outlets = (repeat each parts)
    return StateOutlet(
      .derived(DerivedState(of: all) { moment in (repeat (each outlets).value(at: moment)) }))
  }

  /// State of two: a tuple of the values there are now, as `combine` of any number.
  ///
  /// Clients specialize this one: reading it costs hardly more than reading both.
  @inlinable
  public static func combine<First, Second>(
    _ first: StateOutlet<First>, _ second: StateOutlet<Second>
  ) -> StateOutlet where Value == (First, Second) {
    StateOutlet(
      .derived(
        DerivedState(of: [first.part, second.part]) { (first.value(at: $0), second.value(at: $0)) })
    )
  }
}
