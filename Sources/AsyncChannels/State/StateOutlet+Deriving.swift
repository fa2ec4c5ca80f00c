/// State made of state. It has no task: its ``StateOutlet/value`` is computed when it is read or taken, once for each
/// change, whoever asks, and kept until something that it is made of changes.
///
/// Closures run with no lock held, on the thread of whoever asks. If several ask before a value is known, each of them may call
/// the closure, with equal arguments. Closures should give equal results for equal arguments.
extension StateOutlet {
  /// State that is what `transform` makes of this one, and of the states that `transform` reads.
  ///
  /// ```swift
  /// let title = selection.map { [rows] in rows[$0].title.value }   // changes with the selection, and with that title
  /// ```
  @inlinable
  public func map<Mapped>(
    _ transform: @escaping @Sendable (Value) -> Mapped
  ) -> StateOutlet<Mapped> {
    StateOutlet<Mapped>(.derived(DerivedState(of: [part]) { transform(value(in: $0)) }))
  }

  /// State that is the state that `transform` makes of this one: its value changes with either.
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
  /// The same state; a value that equals the one before is no change, for what is made of it neither.
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
  /// State of several: a tuple of their values at one moment.
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

  /// State of two: a tuple of their values at one moment.
  @inlinable
  public static func combine<First, Second>(
    _ first: StateOutlet<First>, _ second: StateOutlet<Second>
  ) -> StateOutlet where Value == (First, Second) {
    StateOutlet(
      .derived(
        DerivedState(of: [first.part, second.part]) { (first.value(in: $0), second.value(in: $0)) })
    )
  }

  /// State of any number of states: an array of their values at one moment, in order.
  ///
  /// A change of some of them costs as much as they are, and a copy of the array.
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

/// Calls a function whose readings are followed by nobody, inside the closure of derived state.
///
/// ```swift
/// let text = price.map { [rate] price in untracked { "\(price * rate.value)" } }   // changes with the price only
/// ```
///
/// It reads what there is now. Elsewhere it calls the function, and no more: Observation tracks what that reads.
public func untracked<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  guard let evaluation = Evaluation.current else { return try body() }
  return try evaluation.untracked(body)
}
