/// A state that a value is made of, with its version.
typealias KnownRoot = (root: AnyStateRoot, version: Int)

/// The states that a value is made of, with their versions, as a reading has met them.
struct MetRoots: Sendable {
  var single: [KnownRoot] = []
  /// The parts of arrays.
  var lists: [[Dependency]] = []

  /// All, if they are few. Of more, it costs as much to ask each time as to look through what was made of them.
  var few: [KnownRoot]? { single.count <= 8 && lists.isEmpty ? single : nil }

  var ids: [ObjectIdentifier] { roots.map(\.id) }

  private var roots: [AnyStateRoot] { single.map(\.root) + lists.joined().compactMap(\.root) }

  /// Whether those are its.
  func have(_ ids: [ObjectIdentifier]) -> Bool {
    var rest = ids[...]
    for index in single.indices where rest.popFirst() != single[index].root.id { return false }
    for list in lists {
      for part in list {
        if case .root(let root) = part.source, rest.popFirst() != root.id { return false }
      }
    }
    return rest.isEmpty
  }

  /// Each once.
  var unique: [AnyStateRoot] {
    var seen: Set<ObjectIdentifier> = []
    return roots.filter { seen.insert($0.id).inserted }
  }

  /// Whether all have these versions still.
  var areCurrent: Bool {
    single.indices.allSatisfy { single[$0].root.version == single[$0].version }
      && lists.allSatisfy { $0.allSatisfy(\.isCurrentRoot) }
  }

  /// Among many, one may stand more than once: to look it up would cost more.
  mutating func add(_ root: AnyStateRoot, _ version: Int) {
    let isKnown = single.indices.prefix(9).contains {
      single[$0].root.id == root.id && single[$0].version == version
    }
    if isKnown { return }
    if single.isEmpty { single.reserveCapacity(4) }
    single.append((root, version))
  }
}

/// What a closure has read, and the version that it had.
struct Dependency: Sendable {
  enum Source: Sendable {
    case root(AnyStateRoot)
    case derived(StateNode)

    var id: ObjectIdentifier {
      switch self {
      case .root(let root): root.id
      case .derived(let node): ObjectIdentifier(node)
      }
    }
  }

  let source: Source
  var version: Int

  var root: AnyStateRoot? {
    if case .root(let root) = source { root } else { nil }
  }

  /// Whether it is a state that nobody updates just now.
  var isFree: Bool {
    if case .root(let root) = source { root.observed.writers.holdingThread == 0 } else { false }
  }

  /// False only of a root that has changed.
  var isCurrentRoot: Bool {
    if case .root(let root) = source { root.version == version } else { true }
  }
}
