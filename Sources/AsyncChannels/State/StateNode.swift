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
  func look(isTracked: Bool) -> Int {
    if isTracked { noteAccess() }
    observed.writers.requireReadableByThisThread(of: log.elementType)
    return version
  }
}

/// The states that a value is made of, with their versions.
struct MetRoots: Sendable {
  private var all: [(root: AnyStateRoot, version: Int)] = []

  /// Of more than these, it costs as much to ask each time as to look through what was made of them.
  var areFew: Bool { all.count <= 8 }

  /// Among many, one may stand more than once: to look it up would cost more.
  mutating func add(_ root: AnyStateRoot, _ version: Int) {
    if areFew {
      for known in all where known.root.id == root.id && known.version == version { return }
    }
    if all.isEmpty { all.reserveCapacity(4) }
    all.append((root, version))
  }

  mutating func removeAll() { all.removeAll(keepingCapacity: true) }

  /// Whether all have these versions.
  ///
  /// - Parameter isTracked: Whether Observation hears that they are read: of each before its version is looked at.
  func areCurrent(isTracked: Bool) -> Bool {
    all.indices.allSatisfy { all[$0].root.look(isTracked: isTracked) == all[$0].version }
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

  /// The newest, if its states are few, and are what they were.
  func newestIfCurrent(isTracked: Bool) -> Version? {
    let (newest, roots) = state.withLock { ($0.newest, $0.roots) }
    return roots?.areCurrent(isTracked: isTracked) == true ? newest : nil
  }

  /// Takes note of the states of which a version is made. Leaves others, to be destroyed with no lock held.
  func keep(_ roots: inout MetRoots, for version: Int) {
    guard roots.areFew else { return }
    state.withLock { state in
      guard state.newest?.version == version else { return }
      roots = exchange(&state.roots, with: roots) ?? MetRoots()
    }
  }

  /// The version that is right in a reading. Makes it, if the one before is not.
  func newest(in evaluation: Evaluation) -> Version {
    // Together: another thread may replace them. What it read is let go of before it is changed in place.
    let (newest, old) = state.withLock {
      ($0.newest, $0.pass == evaluation.number ? nil : $0.dependencies)
    }
    if old == nil, let newest { return newest }
    guard let newest, let old, evaluation.areCurrent(old) else {
      return makeVersion(after: newest, in: evaluation)
    }
    state.withLock { state in
      if state.newest?.version == newest.version { state.pass = evaluation.number }
    }
    return newest
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
      let (isRegrouped, dependencies) = evaluation.end(run, leaving: &state.dependencies)
      // With the lock held: who finds the new ones knows that.
      if isRegrouped, newest != nil { Evaluation.noteRegrouping() }
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

  /// The states of which its value is made now.
  var rootsNow: [AnyStateRoot] { withExtendedLifetime(Evaluation.untracked(self)) { roots } }

  /// The states of which its value was made.
  var roots: [AnyStateRoot] {
    var roots: [AnyStateRoot] = []
    var seen: Set<ObjectIdentifier> = []
    var open: [Dependency.Source] = [.derived(self)]
    while let source = open.popLast() {
      guard seen.insert(source.id).inserted else { continue }
      switch source {
      case .root(let root): roots.append(root)
      case .derived(let node): open += node.state.withLock { $0.dependencies }.map(\.source)
      }
    }
    return roots
  }
}
