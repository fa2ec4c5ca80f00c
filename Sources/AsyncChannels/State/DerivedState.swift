/// State that is made of other state: a node, and the type of its value.
@frozen @usableFromInline
struct DerivedState<Value: Sendable>: Sendable {
  @usableFromInline typealias Follow = @Sendable () -> Upstream<Value>

  @usableFromInline let node: StateNode
  /// Follows the only state that it is made of; nil if there may be several.
  @usableFromInline let follow: Follow?

  /// - Parameter isSame: Whether two values count as one.
  @inlinable
  init(
    following follow: Follow? = nil, isCombined: Bool = false,
    isSame: (@Sendable (Value, Value) -> Bool)? = nil, _ compute: @escaping @Sendable () -> Value
  ) {
    let isSame = isSame.map { isSame in
      { @Sendable in isSame(Box<Value>.value(in: $0), Box<Value>.value(in: $1)) }
    }
    node = StateNode(isSame: isSame, read: isCombined ? Box(compute) : nil) { _, _ in
      Box(compute())
    }
    self.follow = follow
  }

  /// - Parameter update: Makes the value of the one before, if only the parts with these numbers have changed.
  @inlinable
  init(partCount: Int, _ update: @escaping @Sendable (Value?, [Int]) -> Value) {
    node = StateNode(partCount: partCount) { before, parts in
      Box(update(before.map(Box<Value>.value(in:)), parts))
    }
    follow = nil
  }

  @inlinable
  var value: Value { Box<Value>.value(in: Evaluation.value(of: node)) }

  @usableFromInline
  var outlet: Outlet<Value> {
    Outlet(of: { Evaluation.untracked(node).roots.unique.map(\.log) }) { upstream(buffering: $0) }
  }

  @inlinable
  func upstream(buffering policy: BufferingPolicy?) -> Upstream<Value> {
    policy?.validate(for: Value.self)
    if let follow { return follow() }
    let follower = StateFollower(of: node, Value.self)
    return .derived(follower) { mode, epoch in
      if mode == .peek { return .element(self.value) }
      return switch follower.step(mode, as: epoch) {
      case .element(let box): .element(Box<Value>.value(in: box))
      case .skipped: .skipped
      case .nothing: .nothing
      }
    }
  }
}
