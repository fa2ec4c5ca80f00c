/// A part of derived state in one `StateGraph`, without the type of its value. `StateCell` is the rest.
///
/// `_fixed_layout`: as `Cursor`. `@unchecked Sendable`, all: a graph has them, and says who touches them.
@_fixed_layout @usableFromInline
class AnyStateCell: @unchecked Sendable {
  /// How its value comes of those of `bases`; nil for a root. Both are kept by the graph: if each cell kept those before, a
  /// long chain would end in a deep recursion.
  @usableFromInline final let node: Unmanaged<StateNode>?
  @usableFromInline final let bases: [Unmanaged<AnyStateCell>]
  /// The place of its value. A pointer, since generic code looks up the type of an optional value at each step.
  @usableFromInline final let place: UnsafeMutableRawPointer
  /// Whether the value is there.
  @exclusivity(unchecked) @usableFromInline final var isKnown = false
  /// The numbers of the cells that are made of it, which are higher than its own: hardly ever more than one.
  @exclusivity(unchecked) final var firstUser: Int?
  @exclusivity(unchecked) final var otherUsers: [Int] = []

  fileprivate init(
    for node: StateNode?, from bases: [Unmanaged<AnyStateCell>], at place: UnsafeMutableRawPointer
  ) {
    (self.node, self.bases, self.place) = (node.map { .passUnretained($0) }, bases, place)
  }

  /// Computes its value from those of `bases`. False if it is the same as before.
  func refresh() -> Bool { node?._withUnsafeGuaranteedRef { $0.refresh(self) } ?? false }

  final func add(user number: Int) {
    if firstUser == nil { firstUser = number } else { otherUsers.append(number) }
  }

  /// - Parameter Value: The type of its value. It is not inferred, since an optional one would be wrong.
  @inlinable
  final func value<Value: Sendable>(as _: Value.Type) -> Value {
    precondition(isKnown, "A state is computed after all that it is made of.")
    return withExtendedLifetime(self) { place.assumingMemoryBound(to: Value.self).pointee }
  }

  /// The value of one that it is made of.
  @inlinable
  final func base<Base: Sendable>(_ number: Int, as _: Base.Type) -> Base {
    bases[number]._withUnsafeGuaranteedRef { $0.value(as: Base.self) }
  }

  /// - Parameter value: Of its own type.
  @inlinable
  final func set<Value: Sendable>(_ value: Value) -> Bool {
    let place = place.assumingMemoryBound(to: Value.self)
    if isKnown { place.pointee = value } else { place.initialize(to: value) }
    isKnown = true
    return true
  }
}

class StateCell<Value: Sendable>: AnyStateCell, @unchecked Sendable {
  final let typedPlace = UnsafeMutablePointer<Value>.allocate(capacity: 1)

  init(for node: StateNode?, from bases: [Unmanaged<AnyStateCell>]) {
    super.init(for: node, from: bases, at: UnsafeMutableRawPointer(typedPlace))
  }

  deinit {
    if isKnown { typedPlace.deinitialize(count: 1) }
    typedPlace.deallocate()
  }
}
