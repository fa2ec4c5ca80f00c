public import Synchronization

/// State that is made of other state, without the type of its value. `DerivedState` is the rest.
@_fixed_layout @usableFromInline
class StateNode: @unchecked Sendable {
  let parts: [StatePart]
  /// Whether its value differs from the one before, when a part has changed.
  let differs: @Sendable (StateMoment) -> Bool

  fileprivate init(of parts: [StatePart], differs: @escaping @Sendable (StateMoment) -> Bool) {
    (self.parts, self.differs) = (parts, differs)
  }
}

/// The states that derived state is made of, each once.
struct StateRoots {
  private(set) var all: [(log: BroadcastLogBase, observed: ObservedValue)] = []
  /// By log.
  private(set) var numbers: [ObjectIdentifier: Int] = [:]
  /// Whether a part is reached in several ways.
  private(set) var areShared = false

  init(of node: StateNode) {
    var seen: Set<ObjectIdentifier> = []
    var open = node.parts
    while let part = open.popLast() {
      guard seen.insert(part.id).inserted else {
        areShared = true
        continue
      }
      switch part {
      case .root(let log, let observed):
        numbers[part.id] = all.count
        all.append((log, observed))
      case .derived(let node): open += node.parts
      }
    }
  }

  /// The values there are, read without waiting; nil while one is changed in place.
  var newest: [AnyBox]? {
    let newest = all.compactMap { $0.log.boxedNewest }
    return newest.count == all.count ? newest : nil
  }
}

/// See `StateNode`.
@_fixed_layout @usableFromInline
final class DerivedState<Value: Sendable>: StateNode, @unchecked Sendable {
  @usableFromInline typealias Follow = @Sendable (BufferingPolicy?) -> Upstream<Value>

  /// Computes the value of what there is at a moment, or, without one, by reading its parts now.
  @usableFromInline let read: @Sendable (StateMoment?) -> Value
  /// Follows the only state that it is made of, change by change; nil if there may be several.
  @usableFromInline let follow: Follow?
  /// Whether parts have to be read together, since one is reached in several ways; 0 until that is known.
  private let reading = Atomic<UInt8>(0)

  @usableFromInline
  init(
    of parts: [StatePart], follow: Follow? = nil,
    differs: @escaping @Sendable (StateMoment) -> Bool = { _ in true },
    read: @escaping @Sendable (StateMoment?) -> Value
  ) {
    (self.read, self.follow) = (read, follow)
    super.init(of: parts, differs: differs)
  }

  @inlinable
  var value: Value { isReadDirectly ? read(nil) : valueAtOnce }

  @usableFromInline
  var isReadDirectly: Bool {
    if reading.load(ordering: .relaxed) == 0 {
      reading.store(StateRoots(of: self).areShared ? 2 : 1, ordering: .relaxed)
    }
    return reading.load(ordering: .relaxed) == 1
  }

  /// Each state is read once.
  @usableFromInline
  var valueAtOnce: Value {
    let roots = StateRoots(of: self)
    return StateMoment(of: roots, roots.all.map { _ in nil }).value(of: self)
  }

  @usableFromInline
  var outlet: Outlet<Value> {
    Outlet(of: StateRoots(of: self).all.map(\.log)) { self.upstream(buffering: $0) }
  }

  @usableFromInline
  func upstream(buffering policy: BufferingPolicy?) -> Upstream<Value> {
    if let follow { return follow(policy) }
    policy?.validate(for: Value.self)
    let roots = StateRoots(of: self)
    if roots.all.isEmpty { return Outlet.just(read(nil)).upstream(buffering: policy) }
    let merge = StateMerge(of: roots)
    return .derived(merge) { mode, epoch in
      if mode == .peek { return .element(self.value) }
      guard let moment = merge.step(mode, as: epoch) else { return .nothing }
      defer { moment.end() }
      return moment.isChanged(.derived(self)) ? .element(moment.value(of: self)) : .skipped
    }
  }
}
