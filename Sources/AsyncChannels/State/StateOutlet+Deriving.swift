/// State made of state. It has no task and no copy of its own: its ``StateOutlet/value`` is
/// computed when it is read, so that it is right immediately after a write; and a subscription to
/// it waits for all that it is derived from.
///
/// Closures run at each reading, and for each subscriber at each change of what they depend on. They should
/// be cheap, and give equal results for equal arguments.
///
/// A subscriber of state that is made of several states keeps the value of each part. So a change runs only the
/// closures that depend on the changed state, even among a thousand states. Waiting for the next change costs
/// O(the states).
extension StateOutlet {
  /// State that is what `transform` makes of this one.
  @inlinable
  public func map<Mapped>(
    _ transform: @escaping @Sendable (Value) -> Mapped
  ) -> StateOutlet<Mapped> {
    StateOutlet<Mapped>(.derived(MappedState(of: self, transform)))
  }
}

extension StateOutlet where Value: Equatable {
  /// The same state; following it passes over values that equal the one before.
  ///
  /// Each subscription compares what it gets itself: its first value is always delivered.
  public func removeDuplicates() -> StateOutlet {
    let base = BorrowedState(self)
    let follow: DerivedState<Value>.Follow = { _, policy in
      let previous = Previous<Value>()
      return base.outlet.feed(buffering: policy)
        .deriving { previous.isReplaced(by: $0, $1) ? $0 : nil }
    }
    return StateOutlet(
      .derived(
        DerivedState(
          of: StateParts(part), read: { _ in base.value }, follow: isFollowedAlone ? follow : nil,
          refresh: { cell in
            let new = cell.base(0, as: Value.self)
            let isSame = cell.isKnown && cell.value(as: Value.self) == new
            // Values that are equal may still differ, and others are made of the newest.
            _ = cell.set(new)
            return !isSame
          })))
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
    var all: [StatePart] = []
    for part in repeat each parts { all.append(part.part) }
    let borrowed = (repeat BorrowedState(each parts))
    return StateOutlet(
      .derived(
        DerivedState(
          of: StateParts(all), read: { _ in (repeat (each borrowed).value) },
          refresh: { cell in
            var place = 0
            func next<Next>(_: BorrowedState<Next>) -> Next {
              defer { place += 1 }
              return cell.base(place, as: Next.self)
            }
            return cell.set((repeat next(each borrowed)))
          })))
  }

  /// State of two: a tuple of the values there are now, as `combine` of any number.
  ///
  /// Clients specialize this one: reading it costs hardly more than reading both.
  @inlinable
  public static func combine<First, Second>(
    _ first: StateOutlet<First>, _ second: StateOutlet<Second>
  ) -> StateOutlet where Value == (First, Second) {
    StateOutlet(.derived(CombinedState(of: first, second)))
  }

  /// State of three: a tuple of the values there are now, as `combine` of any number. Clients specialize it.
  @inlinable
  public static func combine<First, Second, Third>(
    _ first: StateOutlet<First>, _ second: StateOutlet<Second>, _ third: StateOutlet<Third>
  ) -> StateOutlet where Value == (First, Second, Third) {
    let (one, two, three) = (BorrowedState(first), BorrowedState(second), BorrowedState(third))
    return StateOutlet(
      .derived(
        DerivedState(
          of: StateParts(first.part, second.part, third.part),
          read: { _ in (one.value, two.value, three.value) },
          refresh: {
            let (one, two) = ($0.base(0, as: First.self), $0.base(1, as: Second.self))
            return $0.set((one, two, $0.base(2, as: Third.self)))
          })))
  }
}
