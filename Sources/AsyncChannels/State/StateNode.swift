public import Synchronization

/// State that is made of other state, without its value. `DerivedState` is the rest.
///
/// `_fixed_layout`: as `Cursor`. `@unchecked Sendable`, all: `parts` change in `deinit` only, when nobody else has it.
@_fixed_layout @usableFromInline
class StateNode: @unchecked Sendable {
  @frozen @usableFromInline
  enum Reading: UInt8, AtomicRepresentable {
    /// By reading its parts.
    case direct
    /// In a `StateGraph`: a part is reached in several ways, so it would be read for each, or in so many steps that it would
    /// need a deep stack.
    case inGraph
    case unknown
  }

  /// In the order of the arguments. Nothing else of it keeps them: see `deinit`.
  @exclusivity(unchecked) final var parts: StateParts
  final let onlyRoot: ObjectIdentifier?
  final let depth: Int
  final let reading: Atomic<Reading>
  /// Computes the value of a cell from those of its parts. False if it is the same as before.
  final let refresh: @Sendable (AnyStateCell) -> Bool

  private static var deepest: Int { 500 }

  @usableFromInline
  init(of parts: StateParts, refresh: @escaping @Sendable (AnyStateCell) -> Bool) {
    depth = parts.depth + 1
    onlyRoot = parts.onlyRoot
    reading = Atomic(depth > Self.deepest ? .inGraph : parts.reading)
    (self.parts, self.refresh) = (parts, refresh)
  }

  /// A long chain is let go of without recursion.
  deinit {
    if depth < 50 { return }
    var rest: [StateNode] = []
    func add(_ parts: StateParts) {
      parts.forEach { if let node = $0.node { rest.append(node) } }
    }
    add(exchange(&parts, with: StateParts()))
    while let last = rest.indices.last {
      let isAlone = isKnownUniquelyReferenced(&rest[last])
      let more = isAlone ? exchange(&rest[last].parts, with: StateParts()) : StateParts()
      rest.removeLast()
      add(more)
    }
  }

  /// Whether it may be followed without a merge: its parts are not so many that each would need a frame of the stack.
  @usableFromInline
  final var isShallow: Bool { depth < Self.deepest }

  func makeCell(from bases: [Unmanaged<AnyStateCell>]) -> AnyStateCell {
    preconditionFailure("The state of a type makes the cell of that type.")
  }
}
