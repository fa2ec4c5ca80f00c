/// Changes two values in one step: who follows or reads state that is derived from them gets both changes, or none.
///
/// ```swift
/// updateTogether(savings, account) { savings, account in
///   savings -= amount
///   account += amount
/// }
/// ```
///
/// `change` gets copies of the values. When it returns, all are stored and published, then sleeping subscribers are
/// woken, each once, and observers told. If it throws, nothing has changed. A value that is finished does not change.
///
/// - A reading or a step of a follower of derived state, on whatever thread, has all of the new values or none. Who reads
///   two states one after the other may find an old and a new one.
/// - Until `change` returns, other writers of these values wait, and their readers get the old ones, as in
///   ``CurrentValue/update(_:)``. Reading, writing or finishing one of the values in it traps: use what the closure is
///   given. To name a value twice traps, too.
/// - Two of these with the same values, in whatever order, do not wait for each other for ever. What is said of
///   two updates that each touch the other's value holds for this, too.
///
/// For the values of an owner's properties: `updateTogether(_items, _isLoading) { … }`.
///
/// - Returns: What `change` returns.
public func updateTogether<First, Second, Result, Failure: Error>(
  _ first: CurrentValue<First>, _ second: CurrentValue<Second>,
  _ change: (inout First, inout Second) throws(Failure) -> Result
) throws(Failure) -> Result {
  try updateAll(first, second) { (values) throws(Failure) in try change(&values.0, &values.1) }
}

/// Changes three values in one step, as `updateTogether` of two does.
public func updateTogether<First, Second, Third, Result, Failure: Error>(
  _ first: CurrentValue<First>, _ second: CurrentValue<Second>, _ third: CurrentValue<Third>,
  _ change: (inout First, inout Second, inout Third) throws(Failure) -> Result
) throws(Failure) -> Result {
  try updateAll(first, second, third) { (values) throws(Failure) in
    try change(&values.0, &values.1, &values.2)
  }
}

private func updateAll<each Value: Sendable, Result, Failure: Error>(
  _ states: repeat CurrentValue<each Value>,
  changing change: (inout (repeat each Value)) throws(Failure) -> Result
) throws(Failure) -> Result {
  let parts = (repeat JointPart(each states))
  var locks: [any JointLock] = []
  repeat locks.append(each parts)
  locks.sort { $0.order < $1.order }
  for (one, next) in zip(locks, locks.dropFirst()) where one.order == next.order {
    Misuse.trap("updateTogether was given one CurrentValue<\(one.type)> twice.")
  }
  // They outlive the locks: these may be the last references to values, whose `deinit` then runs.
  var values: (repeat each Value)?
  defer { withExtendedLifetime(values) {} }
  let result = try withLocks(locks[...]) { () throws(Failure) -> Result in
    values = (repeat (each parts).begin())
    do throws(Failure) {
      let result = try change(&values!)
      if let values {
        OneStep.store { repeat (each parts).append(each values) }
      }
      return result
    } catch {
      repeat (each parts).leave()
      throw error
    }
  }
  repeat (each parts).wake()
  repeat (each parts).tell()
  return result
}

/// Takes the writers' locks one after the other. All do that in one order, so none waits for another in a circle.
private func withLocks<Result, Failure: Error>(
  _ locks: ArraySlice<any JointLock>, _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  guard let first = locks.first else { return try body() }
  return try first.observed.writers.withLock(of: first.type) { () throws(Failure) -> Result in
    try withLocks(locks.dropFirst(), body)
  }
}

private protocol JointLock {
  var observed: ObservedValue { get }
  var type: Any.Type { get }
}

extension JointLock {
  var order: ObjectIdentifier { ObjectIdentifier(observed) }
}

/// One of several values that are changed in one step.
private final class JointPart<Value: Sendable>: JointLock {
  private let state: CurrentValue<Value>
  private let notes: SendNotes
  private var value: Value?
  /// Destroyed with this, when no lock is held.
  private var evicted = Evicted<Value>()
  private var sent: BroadcastLog<Value>.Appended = (nil, .nobody)

  init(_ state: CurrentValue<Value>) {
    self.state = state
    notes = state.log.notes()
  }

  var observed: ObservedValue { state.observed }
  var type: Any.Type { Value.self }

  func begin() -> Value { state.log.beginUpdate() }

  func leave() { state.log.leaveUpdate() }

  func append(_ value: Value) {
    self.value = value
    sent = state.log.append(value, noting: notes, evicting: &evicted)
  }

  func wake() { state.log.perform(sent.wake) }

  func tell() {
    if sent.subscribers != nil { observed.tellOfChange() }
    if let value { notes.complete(with: value) }
  }
}
