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
  let leaves: [any AnyStateLeaf]
  /// Whether a part of it is reached in several ways.
  let isShared: Bool
  /// Keeps all the others that the cells are for.
  let top: AnyDerivedState
  private let cells: [AnyStateCell]
  /// The same: so they are not counted up and down.
  private let order: [Unmanaged<AnyStateCell>]
  @usableFromInline let topCell: AnyStateCell
  /// A bit for each cell that is to be computed.
  private let due: UnsafeMutableBufferPointer<UInt64>
  /// How many leaves have no value yet.
  @exclusivity(unchecked) private var unknown: Int
  /// Whether all values have been known.
  @exclusivity(unchecked) private var isBegun = false
  /// Whoever begins to compute sees what was computed last (release, acquire).
  private let idle = Atomic(true)

  init(of top: AnyDerivedState) {
    var walk = StateWalk()
    topCell = walk.add(top)
    (self.top, leaves, cells, isShared) = (top, walk.leaves, walk.cells, walk.isShared)
    order = walk.cells.map { .passUnretained($0) }
    unknown = walk.leaves.count
    due = .allocate(capacity: (walk.cells.count + 63) / 64)
    due.initialize(repeating: 0)
  }

  deinit { due.deallocate() }

  /// One that goes on where another is, in which somebody computes.
  convenience init(insteadOf other: StateGraph) {
    self.init(of: other.top)
    for (leaf, old) in zip(leaves, other.leaves) { leaf.replace(old) }
    countUnknown()
    begin()
  }

  var isIdle: Bool { idle.load(ordering: .acquiring) }

  /// To be called when leaves have got values otherwise than one by one.
  func countUnknown() {
    unknown = leaves.count { !$0.isKnown }
  }

  /// To be called when something was put into leaves, and before `compute`.
  func begin() {
    idle.store(false, ordering: .relaxed)
    if isBegun || unknown > 0 { return }
    isBegun = true
    for number in cells.indices { makeDue(number) }
  }

  /// Brings what has changed to all that is made of it: runs code of users. True if the whole has changed.
  func compute() -> Bool {
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

  @inlinable
  func value<Value: Sendable>(as _: Value.Type) -> Value {
    topCell.value(as: Value.self)
  }

  /// Reads all states. False, if it is not to wait, while one of them is changed in place.
  func read(waiting: Bool) -> Bool {
    for leaf in leaves where !leaf.read(waiting: waiting) { return false }
    unknown = 0
    begin()
    return compute()
  }

  func takeFirst(of number: Int, asks: Bool) {
    let leaf = leaves[number]
    willPut(into: leaf)
    leaf.takeFirst(asks: asks)
  }

  func dropFirst(of number: Int, _ terms: Terms) -> Bool {
    leaves[number].dropFirst(terms)
  }

  func set(_ change: MergeOrder.Change) {
    willPut(into: leaves[change.number])
    leaves[change.number].set(change.value)
  }

  private func willPut(into leaf: any AnyStateLeaf) {
    if !isBegun, !leaf.isKnown { unknown -= 1 }
    makeDue(leaf.number)
  }

  private func makeDue(_ number: Int) {
    due[number / 64] |= 1 << UInt64(number % 64)
  }
}

/// Finds the parts of derived state, without recursion.
private struct StateWalk {
  var leaves: [any AnyStateLeaf] = []
  var cells: [AnyStateCell] = []
  var isShared = false
  private var numbers: [ObjectIdentifier: Int] = [:]

  mutating func add(_ top: AnyDerivedState) -> AnyStateCell {
    var open = [(state: top, parts: top.parts.all[...])]
    while let (state, parts) = open.last {
      guard let part = parts.first else {
        open.removeLast()
        add(cellFor: state)
        continue
      }
      open[open.count - 1].parts = parts.dropFirst()
      if numbers[part.id] != nil {
        isShared = true
      } else if let leaf = part.makeLeaf() {
        leaves.append(leaf)
        add(leaf, as: part.id)
      } else if let state = part.state {
        open.append((state, state.parts.all[...]))
      }
    }
    return cells[cells.count - 1]
  }

  private mutating func add(cellFor state: AnyDerivedState) {
    let bases = state.parts.all.compactMap { numbers[$0.id] }.map { cells[$0] }
    for base in bases {
      if base.firstUser == nil {
        base.firstUser = cells.count
      } else {
        base.otherUsers.append(cells.count)
      }
    }
    add(state.makeCell(from: bases.map { .passUnretained($0) }), as: ObjectIdentifier(state))
  }

  private mutating func add(_ cell: AnyStateCell, as id: ObjectIdentifier) {
    cell.number = cells.count
    numbers[id] = cells.count
    cells.append(cell)
  }
}
