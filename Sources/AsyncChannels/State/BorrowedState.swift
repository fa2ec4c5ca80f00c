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

  /// Its value, if it is to be read directly (`StateReading`), as its user has found out.
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

  /// Follows it without a merge: it has one root.
  @inlinable
  func feed(buffering policy: BufferingPolicy?) -> Feed<Value> {
    switch self {
    case .state(let log, _):
      log._withUnsafeGuaranteedRef { .cursor($0.subscribe(buffering: policy)) }
    case .derived(let derived):
      derived._withUnsafeGuaranteedRef { $0.feed(buffering: policy) }
    }
  }
}
