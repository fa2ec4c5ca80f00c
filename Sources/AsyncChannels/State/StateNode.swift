import Synchronization

/// A state that is written, without the type of its value.
@frozen @usableFromInline
struct AnyStateRoot: Sendable {
  @usableFromInline let log: BroadcastLogBase
  @usableFromInline let observed: ObservedValue

  @inlinable
  init(_ log: BroadcastLogBase, _ observed: ObservedValue) {
    (self.log, self.observed) = (log, observed)
  }

  var id: ObjectIdentifier { ObjectIdentifier(log) }
  @usableFromInline var version: Int { log.version.load(ordering: .acquiring) }

  /// Tells Observation that its version is about to be looked at. A writer that does not see that yet has the log's lock
  /// before this has: so this finds its version.
  func noteAccess() {
    if observed.noteAccess() { log.state.withLock { _ in } }
  }

  /// Its version, for a reading. Traps if this thread is changing the value.
  func look() -> Int {
    observed.writers.requireReadableByThisThread(of: log.elementType)
    return version
  }
}

/// The states that a value is made of, with their versions.
struct MetRoots: Sendable {
  private(set) var all: [(root: AnyStateRoot, version: Int)] = []

  /// Of more than these, it costs as much to ask each time as to look through what was made of them.
  var areFew: Bool { all.count <= 8 }

  /// Each once.
  var unique: [AnyStateRoot] {
    var seen: Set<ObjectIdentifier> = []
    return all.map(\.root).filter { seen.insert($0.id).inserted }
  }

  var ids: [ObjectIdentifier] { all.map(\.root.id) }

  /// Whether it has met these.
  func are(_ ids: [ObjectIdentifier]) -> Bool { all.elementsEqual(ids) { $0.root.id == $1 } }

  /// Among many, one may stand more than once: to look it up would cost more.
  mutating func add(_ root: AnyStateRoot, _ version: Int) {
    if areFew {
      for known in all where known.root.id == root.id && known.version == version { return }
    }
    if all.isEmpty { all.reserveCapacity(4) }
    all.append((root, version))
  }

  mutating func removeAll() { all.removeAll(keepingCapacity: true) }

  /// Whether all have these versions still.
  var areCurrent: Bool { all.indices.allSatisfy { all[$0].root.version == all[$0].version } }

  /// The same, for a reading of which Observation hears: of each before its version is looked at.
  var areCurrentTracked: Bool {
    all.indices.allSatisfy {
      all[$0].root.noteAccess()
      return all[$0].root.look() == all[$0].version
    }
  }
}

extension MetRoots {
  /// Those of what a closure has read; nil if they are not known, or many.
  fileprivate init?(of dependencies: [Dependency]) {
    for dependency in dependencies {
      switch dependency.source {
      case .root(let root): add(root, dependency.version)
      case .derived(let node):
        guard let roots = node.roots(of: dependency.version) else { return nil }
        if all.isEmpty { self = roots } else { for (root, version) in roots.all { add(root, version) } }
      }
      guard areFew else { return nil }
    }
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
}

/// State that a closure makes of other state. All who read it or follow it share its value, which is made anew when
/// something has changed that the closure has read.
///
/// Nobody tells it of changes: who reads it compares versions. A version belongs to one value for good (or to values that
/// count as one), and is not given twice. So a value is right whenever all that it was made of has the versions that it had. Several threads may compute
/// one node simultaneously, with no lock held: each leaves a value, with the versions of which it was made.
@usableFromInline
final class StateNode: Sendable {
  typealias Version = (value: AnyBox, version: Int)

  private struct State {
    var newest: Version?
    var dependencies: [Dependency] = []
    /// The pass that has found the newest to be right.
    var pass: UInt64 = 0
    var lastVersion = 0
    /// Of which the newest was made, if they are few, and somebody has read it since then.
    var roots: MetRoots?
  }

  @usableFromInline let compute: @Sendable () -> AnyBox
  /// Whether that only reads a few states. Then what is derived from this calls it.
  @usableFromInline let isCombined: Bool
  /// Whether two values count as one. Then what is made of this node is not made anew.
  private let isSame: (@Sendable (AnyBox, AnyBox) -> Bool)?
  private let state = Locked(State())

  @usableFromInline
  init(
    isSame: (@Sendable (AnyBox, AnyBox) -> Bool)?, isCombined: Bool,
    _ compute: @escaping @Sendable () -> AnyBox
  ) {
    (self.compute, self.isSame, self.isCombined) = (compute, isSame, isCombined)
  }

  /// The newest, if its states are few, and are what they were. Observation hears of it.
  var newestIfCurrent: Version? {
    let (newest, roots) = state.withLock { ($0.newest, $0.roots) }
    return roots?.areCurrentTracked == true ? newest : nil
  }

  /// Takes note of the states of which a version is made.
  func keep(_ roots: MetRoots, for version: Int) {
    guard roots.areFew else { return }
    // What is replaced outlives the lock.
    let old = state.withLock { state in
      state.newest?.version == version ? exchange(&state.roots, with: roots) : nil
    }
    withExtendedLifetime(old) {}
  }

  /// The version that is right in a reading. Makes it, if the one before is not.
  func newest(in evaluation: Evaluation) -> Version {
    // Together: another thread may replace them. What it read is let go of before it is changed in place.
    let (newest, old, roots) = state.withLock { state in
      state.pass == evaluation.number
        ? (state.newest, nil, nil) : (state.newest, state.dependencies, state.roots)
    }
    if old == nil, let newest { return newest }
    if let newest, let roots, evaluation.areCurrent(roots) { return newest }
    guard let newest, let old, evaluation.areCurrent(old) else {
      return makeVersion(after: newest, in: evaluation)
    }
    // It was made in another reading: what is found out now saves the next.
    let met = MetRoots(of: old)
    let outdated = state.withLock { state -> MetRoots? in
      guard state.newest?.version == newest.version else { return nil }
      state.pass = evaluation.number
      return exchange(&state.roots, with: met)
    }
    withExtendedLifetime(outdated) {}
    return newest
  }

  /// Of which a version was made, if they are known.
  fileprivate func roots(of version: Int) -> MetRoots? {
    state.withLock { $0.newest?.version == version ? $0.roots : nil }
  }

  private func makeVersion(after before: Version?, in evaluation: Evaluation) -> Version {
    let run = evaluation.begin(self)
    let value = compute()
    let isUnchanged = before.map { countAsOne($0.value, value) } ?? false
    // What is replaced outlives the lock.
    let (made, old) = state.withLock { state in
      if let newest = state.newest, newest.version != before?.version,
        evaluation.isOutdone(by: state.dependencies)
      {
        // Else a value had two versions, and who follows it would get it twice.
        evaluation.end(run)
        return (newest, (nil as Version?, nil as MetRoots?, [Dependency]()))
      }
      // Another thread may have made another meanwhile. Then this is one, too: a version does not come again.
      let kept = isUnchanged && state.newest?.version == before?.version ? before?.version : nil
      if kept == nil { state.lastVersion += 1 }
      let made = (value, version: kept ?? state.lastVersion)
      let newest = exchange(&state.newest, with: made)
      let roots = state.roots.take()
      let dependencies = evaluation.end(run, leaving: &state.dependencies)
      state.pass = evaluation.number
      return (made, (newest, roots, dependencies))
    }
    withExtendedLifetime((value, old)) {}
    return made
  }

  /// Whether `removeDuplicates` takes one for the other.
  func countAsOne(_ one: AnyBox, _ other: AnyBox) -> Bool { isSame?(one, other) ?? false }

  /// What a follower has to keep of a value, to compare.
  func kept(of value: AnyBox) -> AnyBox? { isSame == nil ? nil : value }
}
