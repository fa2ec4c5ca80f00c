public import Synchronization

/// State that is made of other state, without its value. `DerivedState` is the rest.
///
/// `_fixed_layout`: as `Cursor`. `@unchecked Sendable`, all: `parts` change in `deinit` only, when nobody else has it.
@_fixed_layout @usableFromInline
class AnyDerivedState: @unchecked Sendable {
  /// What it is made of, in the order of the arguments. They are kept by nothing else of it: see `deinit`.
  @exclusivity(unchecked) final var parts: StateParts
  @usableFromInline final let shape: StateShape
  /// What is known of `shape.reading` by now.
  private final let reading: Atomic<StateReading>
  /// Computes the value of a cell of it from those of its parts. False if it is the same as before.
  final let refresh: @Sendable (AnyStateCell) -> Bool

  @usableFromInline
  init(
    of parts: StateParts, _ shape: StateShape,
    refresh: @escaping @Sendable (AnyStateCell) -> Bool
  ) {
    (self.parts, self.shape, self.refresh) = (parts, shape, refresh)
    reading = Atomic(shape.reading)
  }

  /// A long chain is let go of without recursion.
  deinit {
    if shape.depth < Self.shallow { return }
    var rest = takeParts()
    while let last = rest.indices.last {
      let isAlone = isKnownUniquelyReferenced(&rest[last].state)
      let more = isAlone ? rest[last].state?.takeParts() ?? [] : []
      rest.removeLast()
      rest += more
    }
  }

  private final func takeParts() -> [StatePart] {
    exchange(&parts, with: StateParts()).all
  }

  private static var shallow: Int { 50 }

  /// Whether `read` can be called.
  @usableFromInline
  final var isReadDirectly: Bool {
    switch reading.load(ordering: .relaxed) {
    case .direct: return true
    case .inGraph: return false
    case .unknown:
      let isDirect = !StateGraph(of: self).isShared
      reading.store(isDirect ? .direct : .inGraph, ordering: .relaxed)
      return isDirect
    }
  }

  func makeCell(from bases: [Unmanaged<AnyStateCell>]) -> AnyStateCell {
    preconditionFailure("The state of a type makes the cell of that type.")
  }
}

@_fixed_layout @usableFromInline
class DerivedState<Value: Sendable>: AnyDerivedState, @unchecked Sendable {
  @usableFromInline typealias Follow = @Sendable (AnyDerivedState, BufferingPolicy?) -> Feed<Value>

  /// Computes the value by reading its parts. Gets this object.
  @usableFromInline final let read: @Sendable (AnyDerivedState) -> Value
  /// Follows the only root, without a merge; nil if it is not made of one alone. Gets this object.
  @usableFromInline final let follow: Follow?

  @inlinable
  init(
    of parts: StateParts, _ shape: StateShape,
    read: @escaping @Sendable (AnyDerivedState) -> Value, follow: Follow?,
    refresh: @escaping @Sendable (AnyStateCell) -> Bool
  ) {
    (self.read, self.follow) = (read, follow)
    super.init(of: parts, shape, refresh: refresh)
  }

  override func makeCell(from bases: [Unmanaged<AnyStateCell>]) -> AnyStateCell {
    StateCell<Value>(for: self, from: bases)
  }

  @inlinable
  final var value: Value { isReadDirectly ? read(self) : valueInGraph }

  @usableFromInline
  final var valueInGraph: Value {
    let graph = StateGraph(of: self)
    _ = graph.read(waiting: true)
    return graph.value(as: Value.self)
  }

  /// The value without waiting and without telling Observation; nil while one of the states is changed in place.
  final var valueIfThere: Value? {
    let graph = StateGraph(of: self)
    return graph.read(waiting: false) ? graph.value(as: Value.self) : nil
  }

  @inlinable
  final var outlet: Outlet<Value> {
    Outlet(of: logs) { [self] policy in feed(buffering: policy) }
  }

  @usableFromInline
  final var logs: [BroadcastLogBase] { StateGraph(of: self).leaves.map(\.untypedLog) }

  @inlinable
  final func feed(buffering policy: BufferingPolicy?) -> Feed<Value> {
    if let follow { return follow(self, policy) }
    guard let merge = StateMerge(of: self, buffering: policy) else {
      return Outlet.just(value).feed(buffering: policy)
    }
    return .derived(merge.waiter) { terms, ticket in
      switch merge.step(terms, as: ticket) {
      case .changed(let graph):
        let value = graph.value(as: Value.self)
        graph.end()
        return .element(value)
      case .skipped: return .skipped
      case .nothing: return .nothing
      }
    }
  }
}

/// One of the states that derived state is made of: either a root, or derived.
@usableFromInline
struct StatePart: Sendable {
  private let log: BroadcastLogBase?
  private let observed: ObservedValue?
  fileprivate(set) var state: AnyDerivedState?

  @usableFromInline
  init<Value>(_ outlet: StateOutlet<Value>) {
    switch outlet.source {
    case .state(let root): (log, observed, state) = (root.log, root.observed, nil)
    case .derived(let derived): (log, observed, state) = (nil, nil, derived)
    }
  }

  var id: ObjectIdentifier {
    if let state { return ObjectIdentifier(state) }
    guard let log else { preconditionFailure("A part is a root or derived.") }
    return ObjectIdentifier(log)
  }

  /// That of a root.
  func makeLeaf() -> (any AnyStateLeaf)? {
    guard let observed else { return nil }
    return log?.open(for: StateLeafMaker(observed: observed))
  }
}

/// All of them, in the order of the arguments. Two need no array.
@usableFromInline
struct StateParts: Sendable {
  private var first, second: StatePart?
  private var others: [StatePart] = []

  @usableFromInline
  init(_ first: StatePart? = nil, _ second: StatePart? = nil, _ others: [StatePart] = []) {
    (self.first, self.second, self.others) = (first, second, others)
  }

  var all: [StatePart] { [first, second].compactMap { $0 } + others }
}
