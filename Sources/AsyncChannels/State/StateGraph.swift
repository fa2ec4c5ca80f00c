import Synchronization

/// What derived state is made of, each part once, with its value: for one reading, or for one subscription.
///
/// The parts are in an order in which each comes behind those that it is made of. So without recursion, and without a
/// look at what has not changed, a change is brought to all that is made of it.
///
/// **Who touches it.** It belongs to who has made it. That of a subscription has elements put into its leaves while the
/// lock of the `MergedCursor` is held and nobody computes (`isIdle`); whoever puts one in begins to compute, and has it to
/// itself until it ends. Leaves keep their values meanwhile, so another graph can be made of them (`StateMerge`).
@usableFromInline
final class StateGraph: MergeTarget, @unchecked Sendable {
  let node: StateNode
  private(set) var roots: [(log: BroadcastLogBase, observed: ObservedValue)] = []
  /// In the order of `roots`.
  private(set) var leaves: [any AnyStateLeaf] = []
  /// Whether a part of it is reached in several ways.
  private(set) var isShared = false
  /// The leaves, and what is made of them.
  private var cells: [AnyStateCell] = []
  /// The same: so they are not counted up and down.
  private var order: [Unmanaged<AnyStateCell>] = []
  /// A bit for each cell that is to be computed.
  private let due: UnsafeMutableBufferPointer<UInt64>
  /// How many leaves have no value yet, as `countUnknown` and `take` have counted; 0 before.
  @exclusivity(unchecked) private var unknown = 0
  /// The numbers of leaves that were given what is not needed.
  @exclusivity(unchecked) private var leftovers: [Int] = []
  /// Whether all values have been known.
  @exclusivity(unchecked) private(set) var isBegun = false
  /// Whoever begins to compute sees what was computed last (release, acquire).
  private let idle = Atomic(true)

  init(of node: StateNode) {
    self.node = node
    var parts: [StatePart] = []
    var numbers: [ObjectIdentifier: Int] = [:]
    var open = [StatePart.derived(node)]
    while let part = open.popLast() {
      if numbers.updateValue(0, forKey: part.id) != nil {
        isShared = true
      } else {
        parts.append(part)
        let count = open.count
        part.node?.parts.forEach { open.append($0) }
        open[count...].reverse()
      }
    }
    due = .allocate(capacity: (parts.count + 63) / 64)
    due.initialize(repeating: 0)
    // What is made of others is deeper than they are.
    for part in parts.sorted(by: { $0.depth < $1.depth }) {
      numbers[part.id] = cells.count
      switch part {
      case .root(let log, let observed):
        let leaf = Self.makeLeaf(of: log, observed)
        roots.append((log, observed))
        leaves.append(leaf)
        cells.append(leaf)
      case .derived(let node):
        var bases: [Unmanaged<AnyStateCell>] = []
        node.parts.forEach { part in
          guard let number = numbers[part.id] else { return }
          cells[number].add(user: cells.count)
          bases.append(.passUnretained(cells[number]))
        }
        cells.append(node.makeCell(from: bases))
      }
    }
    order = cells.map { .passUnretained($0) }
  }

  /// One that goes on where another is, in which somebody computes.
  convenience init(insteadOf other: StateGraph) {
    self.init(of: other.node)
    for (leaf, old) in zip(leaves, other.leaves) { leaf.replace(old) }
    countUnknown()
    begin()
  }

  deinit { due.deallocate() }

  /// The whole. It lives as long as the graph, and is not counted up and down.
  @usableFromInline
  var top: Unmanaged<AnyStateCell> { order[order.count - 1] }

  var isIdle: Bool { idle.load(ordering: .acquiring) }

  /// To be called when leaves have got values otherwise than one by one.
  func countUnknown() {
    unknown = leaves.count { !$0.isKnown }
  }

  /// To be called with what was put into leaves, before `compute`.
  func begin() {
    idle.store(false, ordering: .relaxed)
    if isBegun || unknown > 0 { return }
    isBegun = true
    for number in cells.indices { makeDue(number) }
  }

  /// What was taken and is not needed is destroyed after the lock: true if there is some, and the caller is to do so,
  /// and to end.
  func holdLeftovers() -> Bool {
    if leftovers.isEmpty { return false }
    idle.store(false, ordering: .relaxed)
    return true
  }

  func removeLeftovers() {
    for number in leftovers { _ = cells[number].refresh() }
    leftovers.removeAll(keepingCapacity: true)
  }

  /// Brings what has changed to all that is made of it: runs code of users. True if the whole has changed.
  func compute() -> Bool {
    if !leftovers.isEmpty { removeLeftovers() }
    var isChanged = false
    for word in due.indices {
      while due[word] != 0 {
        let number = word * 64 + due[word].trailingZeroBitCount
        due[word] &= due[word] &- 1
        if order[number]._withUnsafeGuaranteedRef({ refresh($0) }) {
          isChanged = number == order.count - 1
        }
      }
    }
    return isChanged
  }

  /// False if nothing that is made of the cell is to be computed.
  private func refresh(_ cell: AnyStateCell) -> Bool {
    guard cell.refresh(), isBegun else { return false }
    if let user = cell.firstUser { makeDue(user) }
    if !cell.otherUsers.isEmpty { cell.otherUsers.forEach(makeDue) }
    return true
  }

  @usableFromInline
  func end() {
    idle.store(true, ordering: .releasing)
  }

  /// Reads all states, and computes the value. Nil, if it is not to wait, while one of them is changed in place.
  func read<Value: Sendable>(waiting: Bool, as _: Value.Type) -> Value? {
    for leaf in leaves where !leaf.read(waiting: waiting) { return nil }
    unknown = 0
    begin()
    _ = compute()
    // The cell belongs to this graph, which has to last as long as it is read.
    return withExtendedLifetime(self) { top._withUnsafeGuaranteedRef { $0.value(as: Value.self) } }
  }

  func take(_ change: MergedChange, from number: Int) -> Bool {
    let leaf = leaves[number]
    if case .unneeded = change {
      let isTaken = leaf.take(change)
      if isTaken { leftovers.append(number) }
      return isTaken
    }
    if !isBegun, !leaf.isKnown { unknown -= 1 }
    makeDue(number)
    return leaf.take(change)
  }

  private func makeDue(_ number: Int) {
    due[number / 64] |= 1 << UInt64(number % 64)
  }

  private static func makeLeaf(
    of log: BroadcastLogBase, _ observed: ObservedValue
  ) -> any AnyStateLeaf {
    func leaf<Value: Sendable>(_: Value.Type) -> any AnyStateLeaf {
      StateLeaf<Value>(
        of: StateRoot(log: unsafeDowncast(log, to: BroadcastLog.self), observed: observed))
    }
    return leaf(log.elementType)
  }
}
