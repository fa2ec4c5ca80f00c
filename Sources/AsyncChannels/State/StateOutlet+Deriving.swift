extension StateOutlet {
  /// Derived state: `transform` applied to this state, and to the states that `transform` reads.
  ///
  /// ```swift
  /// let title = selection.map { [rows] in rows[$0].title.value }   // changes with the selection, and with that title
  /// ```
  ///
  /// It has no task. ``StateOutlet/value`` is computed when it is first read or followed after a change, once for all
  /// who ask, and kept until something that it is made of changes. The closure runs with no lock held, on the thread
  /// that asks. If several threads ask before the value is known, each of them may call it, so it should give equal
  /// results for equal arguments.
  @inlinable
  public func map<Mapped>(
    _ transform: @escaping @Sendable (Value) -> Mapped
  ) -> StateOutlet<Mapped> {
    StateOutlet<Mapped>(.derived(DerivedState(of: [part]) { transform(value(in: $0)) }))
  }

  /// Derived state that follows the state which `transform` returns: it changes with this state and with that one.
  ///
  /// ```swift
  /// let unread = account.flatMap { $0.unreadCount }
  /// ```
  public func flatMap<Mapped>(
    _ transform: @escaping @Sendable (Value) -> StateOutlet<Mapped>
  ) -> StateOutlet<Mapped> {
    let chosen = map(transform)
    return StateOutlet<Mapped>(
      .derived(DerivedState(of: [chosen.part]) { chosen.value(in: $0).followed(in: $0) }))
  }

  private func followed(in evaluation: Evaluation) -> Value {
    switch source {
    case .state(let root): evaluation.follow(root)
    case .derived(let derived): evaluation.follow(derived.node).value(as: Value.self)
    }
  }
}

extension StateOutlet where Value: Equatable {
  /// This state without values that equal the one before. What is derived from it is not computed anew for them.
  ///
  /// A subscription's first value is always delivered.
  public func removeDuplicates() -> StateOutlet {
    StateOutlet(
      .derived(
        DerivedState(
          StateNode(
            of: [part], areEqual: { $0.value(as: Value.self) == $1.value(as: Value.self) },
            read: { Box(value(in: $0)) }))))
  }
}

extension StateOutlet {
  /// Derived state of several states: a tuple of their values at one moment. Its value is kept as that of
  /// ``map(_:)`` is.
  ///
  /// ```swift
  /// let isComplete = StateOutlet.combine(name, password).map { !$0.isEmpty && $1.count >= 8 }
  /// ```
  ///
  /// Following it ends when all of its states have ended.
  public static func combine<each Part: Sendable>(
    _ parts: repeat StateOutlet<each Part>
  ) -> StateOutlet where Value == (repeat each Part) {
    var all: [StatePart] = []
    for part in repeat each parts { all.append(part.part) }
    let outlets = (repeat each parts)
    return StateOutlet(
      .derived(DerivedState(of: all) { moment in (repeat (each outlets).value(in: moment)) }))
  }

  /// Derived state of two states: a tuple of their values at one moment.
  @inlinable
  public static func combine<First, Second>(
    _ first: StateOutlet<First>, _ second: StateOutlet<Second>
  ) -> StateOutlet where Value == (First, Second) {
    StateOutlet(
      .derived(
        DerivedState(of: [first.part, second.part]) { (first.value(in: $0), second.value(in: $0)) })
    )
  }

  /// Derived state of any number of states: an array of their values at one moment, in order.
  ///
  /// If some of them change, only these are read again, and the array is copied once.
  @inlinable
  public static func combine<Part>(
    _ parts: [StateOutlet<Part>]
  ) -> StateOutlet where Value == [Part] {
    StateOutlet(
      .derived(
        DerivedState(
          StateNode(
            of: parts.map(\.part),
            update: { before, changed, evaluation in
              var values = before.value(as: [Part].self)
              for part in changed { values[part] = parts[part].value(in: evaluation) }
              return Box(values)
            }, read: { evaluation in Box(parts.map { $0.value(in: evaluation) }) }))))
  }
}

/// Calls a function in the closure of derived state, without making that state depend on what the function reads.
///
/// ```swift
/// let text = price.map { [rate] price in untracked { "\(price * rate.value)" } }   // changes with the price only
/// ```
///
/// It reads what there is now. Outside such a closure it only calls the function, and Observation tracks what that
/// reads.
public func untracked<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  guard let evaluation = Evaluation.current else { return try body() }
  return try evaluation.untracked(body)
}
