public import Synchronization

/// One of the states that derived state is made of: either a root, or derived.
@usableFromInline
struct StatePart: Sendable {
  let log: BroadcastLogBase?
  let observed: ObservedValue?
  fileprivate(set) var node: StateNode?

  @usableFromInline
  init(log: BroadcastLogBase? = nil, observed: ObservedValue? = nil, node: StateNode? = nil) {
    (self.log, self.observed, self.node) = (log, observed, node)
  }

  var id: ObjectIdentifier? { node.map { ObjectIdentifier($0) } ?? onlyRoot }

  /// The only root that it is made of; nil if that is not known, or if there are several.
  fileprivate var onlyRoot: ObjectIdentifier? {
    log.map { ObjectIdentifier($0) } ?? node?.onlyRoot
  }

  /// How many steps it is from its roots.
  var depth: Int { node?.depth ?? 0 }
}

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
  @exclusivity(unchecked) final var parts: [StatePart]
  fileprivate final let onlyRoot: ObjectIdentifier?
  final let depth: Int
  final let reading: Atomic<Reading>
  /// Computes the value of a cell from those of its parts. False if it is the same as before.
  final let refresh: @Sendable (AnyStateCell) -> Bool

  private static var deepest: Int { 500 }

  @usableFromInline
  init(of parts: [StatePart], refresh: @escaping @Sendable (AnyStateCell) -> Bool) {
    (self.parts, self.refresh) = (parts, refresh)
    depth = parts.reduce(0) { max($0, $1.depth) } + 1
    onlyRoot = parts.count == 1 ? parts[0].onlyRoot : nil
    var known = Reading.unknown
    if depth > Self.deepest {
      known = .inGraph
    } else if parts.count < 2 {
      known = parts.first?.node?.reading.load(ordering: .relaxed) ?? .direct
    } else if parts.count < 4, parts.allSatisfy({ $0.onlyRoot != nil }) {
      let isShared = parts.indices.contains { number in
        parts[..<number].contains { $0.onlyRoot == parts[number].onlyRoot }
      }
      known = isShared ? .inGraph : .direct
    }
    reading = Atomic(known)
  }

  /// A long chain is let go of without recursion.
  deinit {
    if depth < 50 { return }
    var rest = exchange(&parts, with: [])
    while let last = rest.indices.last {
      let isAlone = isKnownUniquelyReferenced(&rest[last].node)
      let more = isAlone ? rest[last].node.map { exchange(&$0.parts, with: []) } : nil
      rest.removeLast()
      if let more { rest += more }
    }
  }

  /// Whether it may be followed without a merge: its parts are not so many that each would need a frame of the stack.
  @usableFromInline
  final var isShallow: Bool { depth < Self.deepest }

  func makeCell(from bases: [Unmanaged<AnyStateCell>]) -> AnyStateCell {
    preconditionFailure("The state of a type makes the cell of that type.")
  }
}
