import Synchronization

/// A thread's reading of derived state: which closures run, and what they have read.
///
/// **One moment.** A pass over a value and all that it was made of computes what is not right any more, and takes note of the
/// version of each state that it meets. Versions only ascend. So if it finds all of them once more when it has ended, they
/// were all there in between, and the value is of that moment. Otherwise this makes another pass. If the states are few, they
/// stay with the value: who reads it next looks at them first.
///
/// A state's version is loaded (acquire) before its value is read, under the log's lock, and once more after that. If it is
/// the same, it is the value's.
///
/// While others write all the time, this would never end. So after three passes it gathers the values of all states first,
/// in two looks with no closure in between, and computes with those. If a closure reads another state, it gathers that,
/// too, and begins again. (Each time that gathering fails, somebody has written: it is lock-free, not wait-free.)
/// It gathers, too, if several values were changed in one step meanwhile (`OneStep`).
@usableFromInline
final class Evaluation {
  private struct State {
    /// Whether this thread reads.
    var isActive = false
    /// Whether Observation hears of it.
    var isTracked = false
    /// Whether a closure runs that must read nothing but its argument.
    var isAlone = false
    /// That of the pass. No other has it.
    var number: UInt64 = 0
    /// What the pass has met.
    var met = MetRoots()
    /// Whether the pass has taken a value of another reading for one of its own, of older states.
    var isLate = false
    /// What the closures that run have read, the innermost last; and what a `deinit` has read in between.
    var read: [Dependency] = []
    /// Where in that the innermost begins.
    var beginning = 0
    /// The closures that run, and whether they read parts, which are noted together.
    var running: [(node: ObjectIdentifier, readsParts: Bool)] = []
    var gathered: GatheredValues?
    var isGathered = false
  }

  private static let ofThreads = ThreadLocal<Evaluation>()
  /// How many readings there are.
  private static let count = Atomic(0)
  private static let lastThread = Locked<UInt64>(0)

  /// Only its thread reaches it.
  @exclusivity(unchecked) private var state = State()

  /// The number of the last pass. No other thread's begins alike.
  private var lastNumber: UInt64

  private init() {
    lastNumber = Self.lastThread.withLock { last in
      last += 1
      return last << 40
    }
  }

  private static var ofThisThread: Evaluation { ofThreads.object { Evaluation() } }

  /// That of this thread, if it reads. Relaxed: a thread knows what it has counted itself.
  static var current: Evaluation? {
    guard count.load(ordering: .relaxed) != 0, let known = ofThreads.known, known.state.isActive
    else { return nil }
    return known
  }

  /// What a reading has found, and the states that this was made of.
  typealias Reading = (newest: StateNode.Version, roots: MetRoots)

  /// Reads derived state: for a closure that runs, or for anybody else.
  @usableFromInline
  static func value(of node: StateNode) -> AnyBox {
    guard let current else {
      return OneStep.look { node.newestIfCurrent }?.value
        ?? read(node, isTracked: true).newest.value
    }
    current.requireDependencies()
    let newest = node.newest(in: current)
    current.note(.derived(node), newest.version)
    return newest.value
  }

  /// Reads derived state, for who follows it. Observation does not hear of it.
  static func untracked(_ node: StateNode) -> Reading {
    apart { read(node, isTracked: false) }
  }

  private static func read(_ node: StateNode, isTracked: Bool) -> Reading {
    let evaluation = ofThisThread
    var met: [AnyStateRoot] = []
    if let reading = OneStep.look({ evaluation.readInPasses(node, isTracked: isTracked, &met) }) {
      return reading
    }
    guard let reading = evaluation.readGathered(node, &met, isTracked: isTracked, waiting: true)
    else { preconditionFailure("This waits for updates.") }
    return reading
  }

  /// The same, or nil if a state that it was made of is changed in place just now. This waits for no update, and does not
  /// touch what this thread updates, if it was made of that when it was read last.
  ///
  /// - Parameter roots: The states that it was made of then. This adds others that it may be made of now.
  static func withoutWaiting(_ node: StateNode, _ roots: inout [AnyStateRoot]) -> Reading? {
    apart { ofThisThread.readGathered(node, &roots, isTracked: false, waiting: false) }
  }

  /// Does something that no closure depends on, though one may run.
  static func apart<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let current else { return try body() }
    let outer = exchange(&current.state, with: State())
    defer { current.state = outer }
    return try body()
  }

  /// Runs a closure that is given each value of one state. It must read no other: its followers would not hear of that.
  @usableFromInline
  static func alone<Result>(_ body: () -> Result) -> Result {
    apart {
      let evaluation = ofThisThread
      evaluation.begin(isTracked: false)
      evaluation.state.isAlone = true
      defer { evaluation.end() }
      return body()
    }
  }

  func requireDependencies() {
    guard state.isAlone else { return }
    Misuse.trap(
      """
      The closure of `map` has read another state. Who follows the mapped state would not hear of its changes: use \
      `flatMap` or `combine`, or read it in `untracked`.
      """)
  }

  /// Nil if its states are written all the time. Then leaves those that it has met last.
  private func readInPasses(
    _ node: StateNode, isTracked: Bool, _ met: inout [AnyStateRoot]
  ) -> Reading? {
    begin(isTracked: isTracked)
    defer { end() }
    for _ in 0..<3 {
      beginPass()
      let newest = node.newest(in: self)
      if !state.isLate, state.met.areCurrent {
        if let few = state.met.few { node.keep(few, for: newest) }
        return (newest, exchange(&state.met, with: MetRoots()))
      }
    }
    met = state.met.unique
    return nil
  }

  private func begin(isTracked: Bool) {
    Self.count.add(1, ordering: .relaxed)
    // Another: what was found in the last pass is known no more, also to a `deinit` that reads while this gathers.
    lastNumber += 1
    (state.isActive, state.isTracked, state.number) = (true, isTracked, lastNumber)
  }

  private func end() {
    (state.isActive, state.isAlone) = (false, false)
    Self.count.subtract(1, ordering: .relaxed)
    // It keeps no state alive. A `deinit` may read derived state: so they are destroyed when this is as it was.
    let met = exchange(&state.met, with: MetRoots())
    let gathered = exchange(&state.isGathered, with: false) ? state.gathered.take() : nil
    // What a `deinit` has read while no closure ran.
    let read = state.read.isEmpty ? [] : exchange(&state.read, with: [])
    withExtendedLifetime((met, gathered, read)) {}
  }

  private func beginPass() {
    let met = exchange(&state.met, with: MetRoots())
    lastNumber += 1
    (state.number, state.isLate) = (lastNumber, false)
    withExtendedLifetime(met) {}
  }

  /// - Parameter roots: The states that it may be made of. This adds those that closures read, too.
  @inline(never)
  private func readGathered(
    _ node: StateNode, _ roots: inout [AnyStateRoot], isTracked: Bool, waiting: Bool
  ) -> Reading? {
    begin(isTracked: isTracked)
    defer { end() }
    while let gathered = GatheredValues(of: roots, waiting: waiting) {
      (state.gathered, state.isGathered) = (gathered, true)
      beginPass()
      let newest = node.newest(in: self)
      guard let others = state.gathered?.others, !others.isEmpty else { return (newest, state.met) }
      roots += others
    }
    return nil
  }
}

/// What nodes and states ask for.
extension Evaluation {
  var number: UInt64 { state.number }
  var hasGathered: Bool { state.isGathered }

  /// Whether all states have these versions.
  func areCurrent(_ roots: [KnownRoot]) -> Bool {
    roots.indices.allSatisfy { isCurrent(roots[$0].root, roots[$0].version) }
  }

  /// Whether nothing has changed of what a closure has read. Looks in the order of its reading: so it computes nothing that
  /// the closure would not read now.
  func areCurrent(_ dependencies: [Dependency]) -> Bool {
    let met = state.met.single.count
    var areRoots = true
    for index in dependencies.indices {
      switch dependencies[index].source {
      case .root(let root): if isCurrent(root, dependencies[index].version) { continue }
      case .derived(let node):
        areRoots = false
        if node.version(in: self) == dependencies[index].version { continue }
      }
      // The closure reads them again.
      if areRoots { state.met.single.removeLast(state.met.single.count - met) }
      return false
    }
    return true
  }

  /// The numbers of the parts that have changed.
  func changed(of parts: [Dependency]) -> [Int] {
    let areQuiet = !state.isTracked && !state.isGathered
    var changed: [Int] = []
    var number = 0
    while true {
      // Most parts are like this, and to ask this costs a fifth.
      if areQuiet {
        number = (number..<parts.count).first { !parts[$0].isCurrentRoot } ?? parts.count
      }
      if number == parts.count { return changed }
      let version =
        switch parts[number].source {
        case .root(let root): look(at: root)
        case .derived(let node): node.version(in: self)
        }
      if version != parts[number].version { changed.append(number) }
      number += 1
    }
  }

  /// Notes the parts that a value which is right was made of.
  func meet(_ parts: Dependencies) { state.met.lists.append(parts) }

  /// What the closure has read.
  func allRead() -> Dependencies {
    lastNumber += 1
    return Dependencies(all: Array(state.read[state.beginning...]), choice: lastNumber)
  }

  /// Whether a state has this version.
  private func isCurrent(_ root: AnyStateRoot, _ version: Int) -> Bool {
    guard look(at: root) == version else { return false }
    state.met.add(root, version)
    return true
  }

  /// A closure begins to run. Returns where that before it began.
  func begin(_ node: StateNode, readsParts: Bool) -> Int {
    // In a circle, each that begins runs already: to look now and then is enough to end it.
    if state.running.count % 64 == 63,
      state.running.contains(where: { $0.node == ObjectIdentifier(node) })
    {
      Misuse.trap("Derived state reads itself: its closure reads state that is derived from it.")
    }
    state.running.append((ObjectIdentifier(node), readsParts))
    return exchange(&state.beginning, with: state.read.count)
  }

  /// Compares what the closure has read with what another had read that has left its value: less than zero if it is older,
  /// zero if it is the same, greater if it is newer, and nil if nobody can tell. Closures read alike up to the first version
  /// that differs. (A node's version may be higher for a value of older states, if a closure has made other nodes.)
  ///
  /// - Parameter parts: Those that it has read, if not all.
  func compare(with dependencies: [Dependency], _ parts: [Int]) -> Int? {
    guard parts.isEmpty || readCount == parts.count else { return nil }
    for index in 0..<readCount {
      let place = parts.isEmpty ? index : parts[index]
      guard place < dependencies.count else { return nil }
      let (own, other) = (state.read[state.beginning + index], dependencies[place])
      if own.source.id != other.source.id { return nil }
      if own.version != other.version { return own.version - other.version }
    }
    return readCount == dependencies.count ? 0 : nil
  }

  /// The value that this has made for a node from gathered values, if the node has a newer one.
  func old(of node: StateNode) -> StateNode.Version? {
    state.isGathered ? state.gathered?.old.first { $0.node === node }?.version : nil
  }

  /// Keeps such a value for the rest of the pass. Nil if nothing was gathered: then there is another pass.
  func keepOld(_ version: StateNode.Version, of node: StateNode) -> StateNode.Version? {
    state.isLate = !state.isGathered
    state.gathered?.old.append((node, version))
    return state.isGathered ? version : nil
  }

  /// How much the closure has read.
  var readCount: Int { state.read.count - state.beginning }

  /// It has ended.
  func end(_ outer: Int) {
    while state.read.count > state.beginning { state.read.removeLast() }
    state.beginning = outer
    state.running.removeLast()
  }

  /// It has ended. Returns what is not needed any more: to be destroyed with no lock held.
  ///
  /// - Parameter parts: Those that it has read, if not all.
  func end(
    _ outer: Int, leaving dependencies: inout Dependencies, _ parts: [Int]
  ) -> Dependencies {
    var old = Dependencies()
    if parts.isEmpty, !isAlike(dependencies.all) {
      old = exchange(&dependencies, with: allRead())
    } else {
      for index in 0..<readCount {
        dependencies.all[parts.isEmpty ? index : parts[index]].version =
          state.read[state.beginning + index].version
      }
    }
    end(outer)
    return old
  }

  /// Whether the closure has read the same.
  private func isAlike(_ dependencies: [Dependency]) -> Bool {
    dependencies.count == readCount
      && dependencies.indices.allSatisfy {
        dependencies[$0].source.id == state.read[state.beginning + $0].source.id
      }
  }

  // Not inlined, as other functions here: clients would be larger.
  @inline(never)
  private func look(at root: AnyStateRoot) -> Int {
    if state.isTracked { root.observed.noteAccess() }
    if state.isGathered {
      if let gathered = state.gathered?[root] { return gathered.version }
      state.gathered?.others.append(root)
    }
    return root.look()
  }

  /// A closure is about to read a state. Whether this has gathered values.
  @usableFromInline
  func willRead(_ root: AnyStateRoot) -> Bool {
    if state.isTracked { root.observed.noteAccess() }
    return state.isGathered
  }

  /// The value of a state that a closure reads, if it was gathered.
  @usableFromInline
  func gatheredValue(of root: AnyStateRoot) -> Any? {
    guard let gathered = state.gathered?[root] else { return nil }
    noteMet(root, gathered.version)
    return gathered.value
  }

  /// A closure has read a state that was not gathered.
  @usableFromInline
  func noteRead(_ root: AnyStateRoot, _ version: Int) {
    if state.isGathered { state.gathered?.others.append(root) }
    noteMet(root, version)
  }

  private var readsParts: Bool { state.running.last?.readsParts == true }

  private func noteMet(_ root: AnyStateRoot, _ version: Int) {
    if !readsParts { state.met.add(root, version) }
    note(.root(root), version)
  }

  /// A closure that reads one several times notes it once, unless it has read several others in between. Parts have a place
  /// each.
  private func note(_ source: Dependency.Source, _ version: Int) {
    let recent = readsParts ? state.read.count : max(state.beginning, state.read.count - 4)
    for index in recent..<state.read.count where state.read[index].version == version {
      if state.read[index].source.id == source.id { return }
    }
    state.read.append(Dependency(source: source, version: version))
  }
}

/// The values of several states at one moment.
struct GatheredValues {
  private var all: [ObjectIdentifier: (value: Any, version: Int)] = [:]
  /// Those that a closure has read, too.
  var others: [AnyStateRoot] = []
  /// Values made of them that are older than what their nodes have: seldom any.
  var old: [(node: StateNode, version: StateNode.Version)] = []

  /// Nil if one of them is changed in place, and is not waited for.
  init?(of roots: [AnyStateRoot], waiting: Bool) {
    while true {
      var areThere = true
      let areOfOneMoment = OneStep.look {
        areThere = roots.allSatisfy { gather($0, waiting: waiting) }
        return areThere && roots.allSatisfy { $0.version == self[$0]?.version }
      }
      if !areThere { return nil }
      if areOfOneMoment == true { return }
    }
  }

  private mutating func gather(_ root: AnyStateRoot, waiting: Bool) -> Bool {
    let newest =
      root.log.anyNewest
      ?? (waiting
        ? root.observed.writers.withLock(of: root.log.elementType) { root.log.anyNewest } : nil)
    all[root.id] = newest
    return newest != nil
  }

  subscript(root: AnyStateRoot) -> (value: Any, version: Int)? { all[root.id] }
}
