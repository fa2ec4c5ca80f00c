import Synchronization

/// See `StateNode`.
@_fixed_layout @usableFromInline
class DerivedState<Value: Sendable>: StateNode, @unchecked Sendable {
  @usableFromInline typealias Follow = @Sendable (StateNode, BufferingPolicy?) -> Feed<Value>

  /// Computes the value by reading its parts. Gets this object.
  @usableFromInline final let read: @Sendable (StateNode) -> Value
  /// Follows the only root, without a merge; nil if it is not made of one alone. Gets this object.
  @usableFromInline final let follow: Follow?

  @inlinable
  init(
    of parts: StateParts, read: @escaping @Sendable (StateNode) -> Value, follow: Follow? = nil,
    refresh: @escaping @Sendable (AnyStateCell) -> Bool
  ) {
    (self.read, self.follow) = (read, follow)
    super.init(of: parts, refresh: refresh)
  }

  override func makeCell(from bases: [Unmanaged<AnyStateCell>]) -> AnyStateCell {
    StateCell<Value>(for: self, from: bases)
  }

  /// Nothing else keeps what it is made of while that is read.
  @inlinable
  final var value: Value {
    withExtendedLifetime(self) { isReadDirectly ? read(self) : valueInGraph }
  }

  @usableFromInline
  final var isReadDirectly: Bool {
    let known = reading.load(ordering: .relaxed)
    guard known == .unknown else { return known == .direct }
    let isDirect = !StateGraph(of: self).isShared
    reading.store(isDirect ? .direct : .inGraph, ordering: .relaxed)
    return isDirect
  }

  @usableFromInline
  final var valueInGraph: Value {
    guard let value = StateGraph(of: self).read(waiting: true, as: Value.self) else {
      preconditionFailure("A reading that waits finds each state.")
    }
    return value
  }

  @usableFromInline
  final var logs: [BroadcastLogBase] { StateGraph(of: self).roots.map(\.log) }

  @inlinable
  final func feed(buffering policy: BufferingPolicy?) -> Feed<Value> {
    if let follow { return follow(self, policy) }
    guard let merge = StateMerge(of: self, buffering: policy) else {
      return Outlet.just(value).feed(buffering: policy)
    }
    return .derived(merge.waiter) { mode, epoch in
      switch merge.step(mode, as: epoch) {
      case .element(let graph):
        let value = graph.top._withUnsafeGuaranteedRef { $0.value(as: Value.self) }
        graph.end()
        return .element(value)
      case .skipped: return .skipped
      case .nothing: return .nothing
      }
    }
  }
}
