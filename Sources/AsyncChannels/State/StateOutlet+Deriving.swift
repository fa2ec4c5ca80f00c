extension StateOutlet {
  /// Derived state: `transform` applied to this state.
  ///
  /// ```swift
  /// let title = memberCount.map { "\($0) members" }
  /// ```
  ///
  /// - **Reading** is right immediately after a write. All readers share one value: the closure runs when somebody reads it
  ///   and something has changed, on that reader's thread, with no lock held. It should be cheap, and give equal results
  ///   for equal arguments. If several threads read simultaneously, it may run on each of them.
  /// - **Following** gives the newest value whenever its consumer asks, and never misses the last. Changes that come
  ///   before that are one. Of one state, the closure runs once more for each subscriber.
  /// - **Another state** that the closure reads would have to be followed, too: use ``flatMap(_:)`` or `combine`, or read it
  ///   in ``untracked(_:)``. In a debug build, a closure that reads another state while it is followed traps.
  @inlinable
  public func map<Mapped>(
    _ transform: @escaping @Sendable (Value) -> Mapped
  ) -> StateOutlet<Mapped> {
    #if DEBUG
      let follow = follow { { value, _ in Evaluation.alone { transform(value) } } }
    #else
      let follow = follow { { value, _ in transform(value) } }
    #endif
    return StateOutlet<Mapped>(.derived(DerivedState(following: follow) { transform(input) }))
  }

  /// The state that this state chooses: of the selected row, of the room that is open.
  ///
  /// ```swift
  /// let text = selection.flatMap { rows[$0].text }
  /// ```
  ///
  /// It changes when this state chooses another one, and when the chosen one changes. Those that were chosen before are not
  /// followed. So it is with each state of which the closure reads the ``StateOutlet/value``: it is followed, from when
  /// it was read until the closure has run again without reading it. To read without following, use ``untracked(_:)``.
  ///
  /// - **Following** gives the newest value, which is of one moment, at each step of the consumer. To subscribe is to read.
  /// - **The end** comes when all states have ended that it is made of.
  /// - A closure that reads state that is derived from it traps.
  @inlinable
  public func flatMap<Chosen>(
    _ transform: @escaping @Sendable (Value) -> StateOutlet<Chosen>
  ) -> StateOutlet<Chosen> {
    StateOutlet<Chosen>(.derived(DerivedState { transform(input).value }))
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
  /// What is derived from it is not computed anew for an equal value. A subscription's first value is always delivered.
  public func removeDuplicates() -> StateOutlet {
    let follow = follow {
      let previous = Previous<Value>()
      return { previous.isReplaced(by: $0, $1) ? $0 : nil }
    }
    return StateOutlet(.derived(DerivedState(following: follow, isSame: { $0 == $1 }) { value }))
  }
}

extension StateOutlet {
  /// State of several: a tuple of the values there are now.
  ///
  /// ```swift
  /// let isComplete = StateOutlet.combine(name, password).map { !$0.isEmpty && $1.count >= 8 }
  /// ```
  ///
  /// Each tuple, read or followed, is one that there was at some moment, and none is older than the one before. Where
  /// one state is part of it several times, as itself and mapped, a change of it is one change. It ends when all of its
  /// states have ended. Everything else is as with ``flatMap(_:)``.
  public static func combine<each Part: Sendable>(
    _ parts: repeat StateOutlet<each Part>
  ) -> StateOutlet where Value == (repeat each Part) {
    let parts = (repeat each parts)
    return StateOutlet(.derived(DerivedState(isCombined: true) { (repeat (each parts).value) }))
  }

  /// State of two: a tuple of the values there are now, as `combine` of any number.
  @inlinable
  public static func combine<First, Second>(
    _ first: StateOutlet<First>, _ second: StateOutlet<Second>
  ) -> StateOutlet where Value == (First, Second) {
    StateOutlet(.derived(DerivedState(isCombined: true) { (first.value, second.value) }))
  }

  /// State of any number of states of one type: an array of the values there are now, as `combine` of a few.
  ///
  /// If there are more than eight, a change of one copies the array and reads that one anew. The others are only asked whether
  /// they have changed.
  @inlinable
  public static func combine<Part>(
    _ parts: [StateOutlet<Part>]
  ) -> StateOutlet where Value == [Part] {
    StateOutlet(
      .derived(
        // Few are read as those of a tuple, and kept with what is made of them.
        DerivedState(partCount: parts.count > 8 ? parts.count : 0) { before, changed in
          guard var values = before else { return parts.map(\.value) }
          for number in changed { values[number] = parts[number].value }
          return values
        }))
  }
}

extension StateOutlet {
  /// State that a closure computes of other states. It follows each state of which the closure reads the ``value``.
  ///
  /// ```swift
  /// let sum = StateOutlet(tracking: { numbers.value.reduce(0, +) + offset.value })
  /// ```
  ///
  /// Everything else is as with ``flatMap(_:)``.
  @inlinable
  public init(tracking body: @escaping @Sendable () -> Value) {
    self.init(.derived(DerivedState { body() }))
  }
}

/// Reads state in the closure of derived state, which does not follow it: for what is to be used, and not to be the cause
/// of a change.
///
/// ```swift
/// let saved = draft.map { draft in untracked { Entry(draft, by: user.value) } }
/// ```
///
/// Elsewhere it does nothing. Observation hears of what is read in it only if the closure runs.
public func untracked<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  try Evaluation.apart(body)
}
