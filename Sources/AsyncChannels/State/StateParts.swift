import Synchronization

/// One of the states that derived state is made of.
@usableFromInline
enum StatePart: Sendable {
  case root(BroadcastLogBase, ObservedValue)
  case derived(StateNode)

  var id: ObjectIdentifier {
    switch self {
    case .root(let log, _): ObjectIdentifier(log)
    case .derived(let node): ObjectIdentifier(node)
    }
  }

  /// How many steps it is from its roots.
  var depth: Int { node?.depth ?? 0 }

  /// The only root that it is made of; nil if that is not known, or if there are several.
  var onlyRoot: ObjectIdentifier? { if let node { node.onlyRoot } else { id } }

  var node: StateNode? {
    switch self {
    case .root: nil
    case .derived(let node): node
    }
  }
}

/// The states that derived state is made of, in the order of the arguments. Up to three are stored inline.
@usableFromInline
struct StateParts: Sendable {
  // Filled from the front: without a second there is at most one.
  private let first: StatePart?
  private let second: StatePart?
  private let third: StatePart?
  private let rest: [StatePart]

  @usableFromInline
  init(_ first: StatePart? = nil, _ second: StatePart? = nil, _ third: StatePart? = nil) {
    (self.first, self.second, self.third, rest) = (first, second, third, [])
  }

  @usableFromInline
  init(_ all: [StatePart]) {
    first = all.first
    second = all.dropFirst().first
    third = all.dropFirst(2).first
    rest = Array(all.dropFirst(3))
  }

  func forEach(_ body: (StatePart) -> Void) {
    if let first { body(first) }
    if let second { body(second) }
    if let third { body(third) }
    rest.forEach(body)
  }

  /// The depth of the deepest.
  var depth: Int {
    rest.reduce(max(first?.depth ?? 0, second?.depth ?? 0, third?.depth ?? 0)) { max($0, $1.depth) }
  }

  /// The only root that they are made of; nil if that is not known, or if there are several.
  var onlyRoot: ObjectIdentifier? { second == nil ? first?.onlyRoot : nil }

  /// How what is made of them is read; unknown if only a graph can tell.
  var reading: StateNode.Reading {
    guard let second else { return first?.node?.reading.load(ordering: .relaxed) ?? .direct }
    guard rest.isEmpty, let one = first?.onlyRoot, let two = second.onlyRoot else {
      return .unknown
    }
    guard let third else { return one == two ? .inGraph : .direct }
    guard let three = third.onlyRoot else { return .unknown }
    return one == two || one == three || two == three ? .inGraph : .direct
  }
}
