/// A state that something is made of, which keeps it by other means: with a reference here, a reading would count it up
/// and down.
@frozen @usableFromInline
enum BorrowedState<Value: Sendable>: @unchecked Sendable {
  case state(Unmanaged<BroadcastLog<Value>>, Unmanaged<ObservedValue>)
  case derived(Unmanaged<DerivedState<Value>>)

  @inlinable
  init(_ outlet: StateOutlet<Value>) {
    switch outlet.source {
    case .state(let root):
      self = .state(.passUnretained(root.log), .passUnretained(root.observed))
    case .derived(let derived): self = .derived(.passUnretained(derived))
    }
  }

  /// Its value, read directly (`StateNode.Reading`): its user has found out that it can be.
  @inlinable
  var value: Value {
    switch self {
    case .state(let log, let observed):
      log._withUnsafeGuaranteedRef { log in
        observed._withUnsafeGuaranteedRef { StateRoot.value(of: log, $0) }
      }
    case .derived(let derived): derived._withUnsafeGuaranteedRef { $0.read($0) }
    }
  }

  @inlinable
  var outlet: StateOutlet<Value> {
    switch self {
    case .state(let log, let observed):
      let root = StateRoot(log: log.takeUnretainedValue(), observed: observed.takeUnretainedValue())
      return StateOutlet(.state(root))
    case .derived(let derived): return StateOutlet(.derived(derived.takeUnretainedValue()))
    }
  }
}
