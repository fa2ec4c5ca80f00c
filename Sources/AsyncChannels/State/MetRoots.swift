/// A state that a value is made of, with its version.
typealias KnownRoot = (root: AnyStateRoot, version: Int)

/// The states that a value is made of, with their versions, as a reading has met them.
struct MetRoots: Sendable {
  var single: [KnownRoot] = []
  /// The parts of arrays.
  var lists: [Dependencies] = []

  /// All, if they are few. Of more, it costs as much to ask each time as to look through what was made of them.
  var few: [KnownRoot]? { single.count <= 8 && lists.isEmpty ? single : nil }

  /// Which they are, without their versions.
  typealias Choice = (single: [ObjectIdentifier], lists: [UInt64])

  var choice: Choice { (single.map(\.root.id), lists.map(\.choice)) }

  /// Whether those are the same.
  func are(_ choice: Choice) -> Bool {
    single.count == choice.single.count && lists.count == choice.lists.count
      && single.indices.allSatisfy { single[$0].root.id == choice.single[$0] }
      && lists.indices.allSatisfy { lists[$0].choice == choice.lists[$0] }
  }

  private var roots: [AnyStateRoot] {
    single.map(\.root) + lists.flatMap { $0.all.compactMap(\.root) }
  }

  /// Each once.
  var unique: [AnyStateRoot] {
    var seen: Set<ObjectIdentifier> = []
    return roots.filter { seen.insert($0.id).inserted }
  }

  /// Whether all have these versions still.
  var areCurrent: Bool {
    single.indices.allSatisfy { single[$0].root.version == single[$0].version }
      && lists.allSatisfy { $0.all.allSatisfy { $0.isCurrentRoot || $0.root == nil } }
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

/// All that a closure has read.
struct Dependencies: Sendable {
  var all: [Dependency] = []
  /// That of the parts of an array: none that have other parts have it.
  var choice: UInt64 = 0
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

  var isCurrentRoot: Bool {
    if case .root(let root) = source { root.version == version } else { false }
  }
}
