import Synchronization

/// State that a closure makes of other state. All who read it or follow it share its value, which is made anew when
/// something has changed that the closure has read.
///
/// Nobody tells it of changes: who reads it compares versions. A version belongs to one value for good (or to values that
/// count as one), and is not given twice. So a value is right whenever all that it was made of has the versions that it had.
///
/// Several threads may compute one node simultaneously, with no lock held. Each leaves its value, with the versions that the
/// value was made of, unless another thread has left one of newer states. (If their closures make states of their own, these
/// differ, and a late one may be left. Then the value is made once more, and a follower may get an equal value again.)
@usableFromInline
final class StateNode: Sendable {
  typealias Version = (value: AnyBox, version: Int)
  private typealias Replaced = (Version?, [KnownRoot]?, Dependencies)

  private struct State {
    var newest: Version?
    var dependencies = Dependencies()
    /// The pass that has found the newest to be right.
    var pass: UInt64 = 0
    /// Whether another has, after that in which it was made.
    var isFoundAgain = false
    var lastVersion = 0
    /// The version of the last value that was too old to be left here. It is less than zero, so no value that was left has it.
    var oldVersion = 0
    /// The states that the newest was made of, if they are few and somebody has found them out since then.
    var roots: [KnownRoot]?

    /// Whether that is the newest itself. One that counts as the same may be made of other states.
    func isNewest(_ version: Version?) -> Bool { newest?.value === version?.value }

    /// Whether a reading sees at once that the newest is right.
    func isKnown(to evaluation: Evaluation) -> Bool {
      if pass == evaluation.number { return true }
      guard let roots else { return false }
      return evaluation.areCurrent(roots)
    }
  }

  /// Makes the value: of the one before, if only the parts with these numbers have changed.
  @usableFromInline typealias Compute = @Sendable (AnyBox?, _ changed: [Int]) -> AnyBox

  private let compute: Compute
  /// The function with which what is derived from this reads its few states itself; nil if they may be many, or may change.
  @usableFromInline let read: AnyBox?
  /// How many parts it has, which are looked at one by one; otherwise zero.
  private let partCount: Int
  /// Whether two values count as one. Then what is made of this node is not made anew.
  private let isSame: (@Sendable (AnyBox, AnyBox) -> Bool)?
  private let state = Locked(State())

  @usableFromInline
  init(
    isSame: (@Sendable (AnyBox, AnyBox) -> Bool)? = nil, read: AnyBox? = nil, partCount: Int = 0,
    _ compute: @escaping Compute
  ) {
    (self.compute, self.isSame, self.read, self.partCount) = (compute, isSame, read, partCount)
  }

  /// The newest, if its states are few, and are what they were. Observation hears of it.
  var newestIfCurrent: Version? {
    state.withLock { state in
      guard let roots = state.roots else { return nil }
      for (root, version) in roots {
        root.observed.noteAccess()
        if root.look() != version { return nil }
      }
      return state.newest
    }
  }

  /// Takes note of the states that a version is made of.
  func keep(_ roots: [KnownRoot], for newest: Version) {
    // What is replaced outlives the lock.
    let old = state.withLock { state in
      state.isNewest(newest) ? exchange(&state.roots, with: roots) : nil
    }
    withExtendedLifetime(old) {}
  }

  /// The version that is right in a reading. Makes it, if the one before is not.
  func newest(in evaluation: Evaluation) -> Version { look(in: evaluation) { $0 } }

  /// Its number alone.
  func version(in evaluation: Evaluation) -> Int { look(in: evaluation) { $0.version } }

  @inline(__always)
  private func look<Part: Sendable>(in evaluation: Evaluation, _ part: (Version) -> Part) -> Part {
    // Together: another thread may replace them.
    let (known, newest, old) = state.withLock { state -> (Part?, Version?, Dependencies?) in
      if state.isKnown(to: evaluation) { return (state.newest.map(part), nil, nil) }
      return (nil, state.newest, state.dependencies)
    }
    return known ?? part(find(after: newest, madeOf: old ?? Dependencies(), in: evaluation))
  }

  private func find(
    after newest: Version?, madeOf old: consuming Dependencies, in evaluation: Evaluation
  ) -> Version {
    if let old = evaluation.old(of: self) { return old }
    let areParts = partCount > 0 && newest != nil && old.all.count == partCount
    let changed = areParts ? evaluation.changed(of: old.all) : []
    let isCurrent = areParts ? changed.isEmpty : evaluation.areCurrent(old.all)
    guard let newest, isCurrent else {
      // Let go of before it is changed in place.
      old = Dependencies()
      return makeVersion(after: newest, of: changed, in: evaluation)
    }
    if areParts { evaluation.meet(old) }
    // Roots that were kept are not what it was found to be made of now. They are destroyed with no lock held.
    let (isFoundAgain, others) = state.withLock { state -> (Bool, [KnownRoot]?) in
      guard state.isNewest(newest) else { return (false, nil) }
      state.pass = evaluation.number
      return (exchange(&state.isFoundAgain, with: true), state.roots.take())
    }
    withExtendedLifetime(others) {}
    // It is read time and again: what is found out now saves the next.
    if isFoundAgain, let roots = Self.roots(of: old.all) { keep(roots, for: newest) }
    return newest
  }

  /// The states of what a closure has read; nil if they are not known, or many.
  private static func roots(of dependencies: [Dependency]) -> [KnownRoot]? {
    var met = MetRoots()
    for dependency in dependencies {
      switch dependency.source {
      case .root(let root): met.add(root, dependency.version)
      case .derived(let node):
        let known = node.state.withLock {
          $0.newest?.version == dependency.version ? $0.roots : nil
        }
        guard let known else { return nil }
        if met.single.isEmpty {
          met.single = known
        } else {
          for (root, version) in known { met.add(root, version) }
        }
      }
      if met.few == nil { return nil }
    }
    return met.few
  }

  /// - Parameter parts: Those that have changed, if nothing else has.
  private func makeVersion(
    after before: Version?, of parts: [Int] = [], in evaluation: Evaluation
  ) -> Version {
    let run = evaluation.begin(self, readsParts: partCount > 0)
    let value = compute(parts.isEmpty ? nil : before?.value, parts)
    let isUnchanged = before.map { countAsOne($0.value, value) } ?? false
    // What is replaced outlives the lock.
    var isLeft = false
    let nothing: Replaced = (nil, nil, Dependencies())
    let (made, old) = state.withLock { state -> (Version?, Replaced) in
      let isNext = state.isNewest(before)
      // If nobody else has left a value, and nothing was gathered, this reading has read the same or what is newer.
      let isComparable = (!isNext || evaluation.hasGathered) && state.newest != nil
      let age = isComparable ? evaluation.compare(with: state.dependencies.all, parts) ?? 1 : 1
      // Another thread may have made another of other parts; or a `deinit` has read something meanwhile.
      if !parts.isEmpty, age < 0 || !isNext || evaluation.readCount != parts.count {
        return (nil, nothing)
      }
      if age <= 0 {
        if partCount > 0 { evaluation.meet(evaluation.allRead()) }
        // Else who follows it would get it twice.
        if age == 0 { return (state.newest, nothing) }
        state.oldVersion -= 1
        return (evaluation.keepOld((value, state.oldVersion), of: self) ?? state.newest, nothing)
      }
      // Another thread may have made another meanwhile. Then this is one, too: a version does not come again.
      let kept = isUnchanged && isNext ? before?.version : nil
      if kept == nil { state.lastVersion += 1 }
      let made = (value, version: kept ?? state.lastVersion)
      let newest = exchange(&state.newest, with: made)
      let roots = state.roots.take()
      let dependencies = evaluation.end(run, leaving: &state.dependencies, parts)
      isLeft = true
      if partCount > 0 { evaluation.meet(state.dependencies) }
      (state.pass, state.isFoundAgain) = (evaluation.number, false)
      return (made, (newest, roots, dependencies))
    }
    withExtendedLifetime((value, old)) {}
    if !isLeft { evaluation.end(run) }
    return made ?? makeVersion(after: before, in: evaluation)
  }

  /// Whether `removeDuplicates` takes one for the other.
  func countAsOne(_ one: AnyBox, _ other: AnyBox) -> Bool { isSame?(one, other) ?? false }

  /// What a follower has to keep of a value, to compare.
  func kept(of value: AnyBox) -> AnyBox? { isSame == nil ? nil : value }
}
