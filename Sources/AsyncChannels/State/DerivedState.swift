public import Synchronization

/// State that is made of other state: what reading it takes, which clients specialize, and how it is followed, which
/// is made when somebody asks for it.
///
/// `_fixed_layout`: as `Cursor`.
@_fixed_layout @usableFromInline
final class DerivedState<Value: Sendable>: Sendable {
  /// The only state that it is made of; nil if there is none, or several.
  @usableFromInline let onlyRoot: ObjectIdentifier?
  /// Computes the value. Nil if a state is part of it several times: that has to be read once.
  @usableFromInline let read: (@Sendable () -> Value)?
  @usableFromInline let make: @Sendable () -> Derivation<Value>
  /// Made once: where a state is used twice, and what is made of it twice again, the number of parts would double
  /// with each step.
  @usableFromInline let made = Locked<Derivation<Value>?>(nil)

  @inlinable
  init(
    onlyRoot: ObjectIdentifier?, read: (@Sendable () -> Value)?,
    make: @escaping @Sendable () -> Derivation<Value>
  ) {
    (self.onlyRoot, self.read, self.make) = (onlyRoot, read, make)
  }

  /// If two threads come here simultaneously, each may make one, and both use the first that was stored.
  var derivation: Derivation<Value> {
    if let known = made.withLock({ $0 }) { return known }
    let new = make()
    return made.withLock { made in
      let first = made ?? new
      made = first
      return first
    }
  }

  @usableFromInline
  var outlet: Outlet<Value> { derivation.outlet }

  @usableFromInline
  var valueReadOnce: Value { derivation.value }
}

extension StateOutlet {
  /// The only state that it is made of; nil if there is none, or several.
  @inlinable
  var onlyRoot: ObjectIdentifier? {
    switch source {
    case .state(let root): ObjectIdentifier(root.log)
    case .derived(let derived): derived.onlyRoot
    }
  }

  /// How it comes from the states at its roots.
  @usableFromInline
  var derivation: Derivation<Value> {
    switch source {
    case .derived(let derived): derived.derivation
    case .state(let root): Derivation(of: root)
    }
  }

  /// A subscription's, if it is made of one state.
  @usableFromInline
  func feed(buffering policy: BufferingPolicy?) -> Feed<Value> {
    outlet.feed(buffering: policy)
  }

  /// Whether some state is part of both.
  @inlinable
  func sharesState<Other>(with other: StateOutlet<Other>) -> Bool {
    if let root = onlyRoot, let otherRoot = other.onlyRoot { return root == otherRoot }
    return derivation.sharesState(with: other.derivation)
  }
}
