import Synchronization

/// The values of several states at one moment, and what was computed of them: each part of derived state once.
///
/// It belongs to who computes. `before` is given up when that is done.
@usableFromInline
final class StateMoment: @unchecked Sendable {
  /// The places of the states, by their logs.
  private let numbers: [ObjectIdentifier: Int]
  private var values: [AnyBox?]
  /// Nil if each part is reached in one way only.
  private var computed: [ObjectIdentifier: AnyBox]?
  private var changes: [ObjectIdentifier: Bool] = [:]
  /// The moment that was computed before; nil if this is the first.
  @usableFromInline private(set) var before: StateMoment?
  /// Whoever makes the next moment sees what was computed (release, acquire).
  private let isComputed = Atomic(false)

  /// - Parameter values: In the order of the roots; those that are nil are read when they are needed.
  init(of roots: StateRoots, _ values: [AnyBox?], after before: StateMoment? = nil) {
    (numbers, self.values) = (roots.numbers, values)
    computed = roots.areShared ? [:] : nil
    // One that somebody computes is of no use: all counts as changed.
    self.before = before?.isComputed.load(ordering: .acquiring) == true ? before : nil
  }

  func end() {
    before = nil
    changes = [:]
    isComputed.store(true, ordering: .releasing)
  }

  @usableFromInline
  func value<Value>(of root: StateRoot<Value>) -> Value {
    guard let number = numbers[ObjectIdentifier(root.log)] else {
      preconditionFailure("A moment has all states.")
    }
    if let known = values[number] { return unsafeDowncast(known, to: Box<Value>.self).value }
    let value = root.value
    values[number] = Box(value)
    return value
  }

  @usableFromInline
  func value<Value>(of derived: DerivedState<Value>) -> Value {
    if computed == nil { return derived.read(self) }
    let id = ObjectIdentifier(derived)
    if let known = computed?[id] { return unsafeDowncast(known, to: Box<Value>.self).value }
    let value = derived.read(self)
    computed?[id] = Box(value)
    return value
  }

  /// Whether a part may differ from what it was before.
  func isChanged(_ part: StatePart) -> Bool {
    guard let before else { return true }
    if case .derived(let node) = part {
      if let known = changes[part.id] { return known }
      let isChanged = node.parts.contains(where: isChanged) && node.differs(self)
      if computed != nil { changes[part.id] = isChanged }
      return isChanged
    }
    return numbers[part.id].map { values[$0] !== before.values[$0] } ?? false
  }
}
