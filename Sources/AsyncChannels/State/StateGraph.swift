import Synchronization

/// Which state is made of which, and what has changed: one for the program, behind one lock, under which no user's code
/// runs and nothing of a user is destroyed.
///
/// A node is known by its number. A root has one while something is derived from it, derived state from its first use.
///
/// **Invalidating.** A write stores the value, and marks all that is made of it as changed, in one step under this lock.
/// It stops at what is not *armed*, that is, at what nobody has computed since it was last marked: so a root that
/// is written often is marked once. Whoever computes arms a node before it reads for it. So a node that was not marked
/// since it was armed is made of the values that there are.
@usableFromInline
struct StateGraph: Sendable {
  static let shared = Locked(StateGraph())
  /// How many evaluations run. Relaxed: a thread that asks whether it runs one has counted that itself.
  static let running = Atomic(0)

  struct Node: Sendable {
    /// Nil for a root.
    var face: StateFace?
    /// That of a root.
    var log: BroadcastLogBase?
    /// The parts, in order, and then what a closure has read beyond them. Each has an edge to this.
    var sources: [Int] = []
    var dependents: [Edge] = []
    /// Which parts may have changed since it was last valid; nil for all.
    var changed: [Int]? = []
    var isLinked = false
    var isArmed = false
    /// Counts how often it was marked while it was armed.
    var epoch = 0
    /// The clock when its value last changed.
    var changedAt = 0
    /// The clock at the moment for which its known value was computed: later than the change, if it equals the one before.
    var valueAt = 0
    /// The clock at the moment of which its known value is; negative if there is none.
    var checkedAt = -1
    /// How many follow it, or are made of it and are followed.
    var users = 0
    var endedSources = 0
    var hasEnded = false
  }

  struct Edge: Sendable, Equatable {
    let node: Int
    /// Negative for what only a closure reads.
    let part: Int
  }

  /// What is to be done once the lock is released.
  @usableFromInline
  struct Rest: Sendable {
    fileprivate var told: [StateFace] = []
    fileprivate var wakes: [(log: BroadcastLogBase, wake: Wake)] = []
    fileprivate var after: AfterLock?
    fileprivate var ended: [StateFace] = []
    fileprivate var unfinished: [StateFace] = []
    fileprivate var garbage: [Node] = []

    @usableFromInline
    func perform() {
      for (log, wake) in wakes { log.perform(wake) }
      for face in told { face.observed.load()?.noteChange() }
      for face in ended { face.ticks.load()?.finish() }
      for face in unfinished { face.follower.load()?.compute() }
      after?()
    }
  }

  private(set) var nodes: ContiguousArray<Node> = [Node()]
  private var free: [Int] = []
  /// Free, but an evaluation may know them.
  private var retired: [Int] = []
  /// How many writes of roots there were.
  private(set) var clock = 0
  private(set) var evaluations: [Evaluation] = []
  private var rest: Rest?

  @discardableResult
  static func with<Result>(_ body: (inout StateGraph) -> Result) -> Result {
    let (result, rest) = leaving(body)
    rest?.perform()
    return result
  }

  /// The same for a caller that may hold another lock: it gets what is left.
  static func leaving<Result>(_ body: (inout StateGraph) -> Result) -> (Result, Rest?) {
    shared.withLock { graph in
      let result = body(&graph)
      return (result, graph.rest.take())
    }
  }

  /// Whether a value that is replaced may be asked for.
  var isSaving: Bool { !evaluations.isEmpty }

  /// Relaxed: an update that misses one does not change what that has read.
  @usableFromInline
  static var isEvaluating: Bool { running.load(ordering: .relaxed) > 0 }

  private mutating func leave(_ note: (inout Rest) -> Void) {
    var rest = rest.take() ?? Rest()
    note(&rest)
    self.rest = rest
  }
}

/// Nodes and edges.
extension StateGraph {
  subscript(number: Int) -> Node {
    get { nodes[number] }
    _modify { yield &nodes[number] }
  }

  private mutating func add(_ node: Node) -> Int {
    if let number = free.popLast() {
      nodes[number] = node
      return number
    }
    nodes.append(node)
    return nodes.count - 1
  }

  mutating func number(of log: BroadcastLogBase) -> Int {
    let known = log.graphNumber.load(ordering: .relaxed)
    if known != 0 { return known }
    var node = Node(log: log, isLinked: true, changedAt: clock)
    // A write that comes after this takes this lock.
    node.hasEnded = log.state.withLock { state in
      state.set(.derived, to: true)
      return state.isFinished
    }
    let number = add(node)
    log.graphNumber.store(number, ordering: .relaxed)
    return number
  }

  mutating func number(of node: StateNode) -> Int {
    let known = node.number
    if known != 0 { return known }
    let number = add(Node(face: node.face))
    node.face.number.store(number, ordering: .relaxed)
    return number
  }

  mutating func number(of part: StatePart) -> Int {
    switch part {
    case .root(let log): number(of: log)
    case .derived(let node): number(of: node)
    }
  }

  /// Gives a node its number, and its edges from its parts.
  mutating func link(_ node: StateNode) -> Int {
    let number = number(of: node)
    if nodes[number].isLinked { return number }
    nodes[number].isLinked = true
    nodes[number].sources.reserveCapacity(node.parts.count)
    for (index, part) in node.parts.enumerated() {
      link(self.number(of: part), to: Edge(node: number, part: index))
    }
    return number
  }

  mutating func link(_ source: Int, to edge: Edge) {
    nodes[edge.node].sources.append(source)
    nodes[source].dependents.append(edge)
    if nodes[source].hasEnded { nodes[edge.node].endedSources += 1 }
    if nodes[edge.node].users > 0 { use(source, by: 1) }
  }

  /// Removes the edge from a source. The node itself forgets the source.
  private mutating func unlink(_ source: Int, from edge: Edge) {
    if let index = nodes[source].dependents.lastIndex(of: edge) {
      nodes[source].dependents.remove(at: index)
    }
    if nodes[source].hasEnded { nodes[edge.node].endedSources -= 1 }
    if nodes[edge.node].users > 0 { use(source, by: -1) }
    guard nodes[source].dependents.isEmpty, let log = nodes[source].log else { return }
    log.graphNumber.store(0, ordering: .relaxed)
    log.state.withLock { $0.set(.derived, to: false) }
    retire(source)
  }

  /// What the closure has read this time, in order, and no more.
  mutating func setReads(_ reads: [Int], of number: Int, behind parts: Int) {
    let old = nodes[number].sources[parts...]
    if old.elementsEqual(reads) { return }
    let removed = old.filter { !reads.contains($0) }
    nodes[number].sources.replaceSubrange(parts..., with: reads)
    for source in removed { unlink(source, from: Edge(node: number, part: -1)) }
  }

  mutating func remove(_ number: Int, parts: Int) {
    for (index, source) in nodes[number].sources.enumerated() {
      unlink(source, from: Edge(node: number, part: index < parts ? index : -1))
    }
    // What an evaluation has read whose value was not kept.
    for edge in nodes[number].dependents {
      guard let index = nodes[edge.node].sources.lastIndex(of: number) else { continue }
      nodes[edge.node].sources.remove(at: index)
      if nodes[number].hasEnded { nodes[edge.node].endedSources -= 1 }
      if nodes[edge.node].isOver { end(edge.node) }
    }
    retire(number)
  }

  private mutating func retire(_ number: Int) {
    let old = nodes[number]
    nodes[number] = Node()
    leave { $0.garbage.append(old) }
    if evaluations.isEmpty { free.append(number) } else { retired.append(number) }
  }
}

/// What changes.
extension StateGraph {
  /// A root was written: the caller has stored the value.
  ///
  /// - Parameter before: Its value before, for evaluations that began earlier; nil if it is not known.
  mutating func change(_ root: Int, from before: AnyBox?) {
    if let before {
      for evaluation in evaluations {
        evaluation.save(before, of: root, ifChangedAt: nodes[root].changedAt)
      }
    }
    clock += 1
    nodes[root].changedAt = clock
    if nodes[root].isArmed { mark(root) }
  }

  private mutating func mark(_ root: Int) {
    nodes[root].isArmed = false
    var open = [root]
    while let source = open.popLast() {
      for edge in nodes[source].dependents {
        nodes[edge.node].noteChange(of: edge.part)
        guard nodes[edge.node].isArmed else { continue }
        nodes[edge.node].isArmed = false
        nodes[edge.node].epoch += 1
        open.append(edge.node)
        guard let face = nodes[edge.node].face else { continue }
        face.isValid.store(false, ordering: .releasing)
        if face.observed.load() != nil { leave { $0.told.append(face) } }
        if let ticks = face.ticks.load() { tick(ticks) }
      }
    }
  }

  /// In this step, so that no end overtakes it.
  private mutating func tick(_ ticks: BroadcastLog<Int>) {
    var evicted = Evicted<Int>()
    let wake = ticks.state.withLock { state -> Wake in
      if state.isFinished { return .nobody }
      ticks.fill(state.queues, with: 0, evicting: &evicted)
      return state.takeSleepers()
    }
    if case .nobody = wake { return }
    leave { $0.wakes.append((ticks, wake)) }
  }

  /// One that was taken was not used: all look again, and find nothing new but the one whose it was.
  mutating func tickAgain(_ face: StateFace) {
    if let ticks = face.ticks.load() { tick(ticks) }
  }

  /// Sees to it that the next write of a root marks a node, though nobody computes it.
  mutating func arm(_ number: Int) {
    var seen: Set<Int> = []
    var open = [number]
    while let node = open.popLast() {
      guard seen.insert(node).inserted else { continue }
      nodes[node].isArmed = true
      open += nodes[node].sources
    }
  }

  /// A root has ended, or what is derived.
  mutating func end(_ number: Int) {
    var open = [number]
    while let source = open.popLast() {
      if nodes[source].hasEnded { continue }
      nodes[source].hasEnded = true
      if let face = nodes[source].face { leave { $0.ended.append(face) } }
      for edge in nodes[source].dependents {
        nodes[edge.node].endedSources += 1
        if nodes[edge.node].isOver { open.append(edge.node) }
      }
    }
  }

  /// What is followed, was marked, and depends on a root that has ended: only its value tells whether it has ended.
  mutating func computeUnfinished(behind root: Int) {
    var seen: Set<Int> = []
    var open = [root]
    while let source = open.popLast() {
      for edge in nodes[source].dependents where !nodes[edge.node].isValid {
        guard seen.insert(edge.node).inserted else { continue }
        open.append(edge.node)
        if let face = nodes[edge.node].face, face.follower.load() != nil {
          leave { $0.unfinished.append(face) }
        }
      }
    }
  }

  /// Counts one more or less that follows a node: what it is made of is used as long as that is.
  mutating func use(_ number: Int, by change: Int) {
    var open = [number]
    while let node = open.popLast() {
      let wasUsed = nodes[node].users > 0
      nodes[node].users += change
      if let log = nodes[node].log {
        let after = log.state.withLock { $0.countDerived(change) }
        leave { $0.after = .both($0.after, after) }
      }
      if wasUsed != (nodes[node].users > 0) { open += nodes[node].sources }
    }
  }

  mutating func begin(_ evaluation: Evaluation) {
    evaluations.append(evaluation)
  }

  mutating func end(_ evaluation: Evaluation) {
    evaluations.removeAll { $0 === evaluation }
    guard evaluations.isEmpty else { return }
    free += retired
    retired = []
  }

  /// The logs of all that has a root in common with a node, and the roots'.
  func logs(around number: Int) -> [BroadcastLogBase] {
    var seen: Set<Int> = []
    var open = [number]
    var roots: [Int] = []
    while let node = open.popLast() {
      guard seen.insert(node).inserted else { continue }
      if nodes[node].log != nil { roots.append(node) } else { open += nodes[node].sources }
    }
    (seen, open) = ([], roots)
    var logs: [BroadcastLogBase] = []
    while let node = open.popLast() {
      guard seen.insert(node).inserted else { continue }
      if let log = nodes[node].log ?? nodes[node].face?.ticks.load() { logs.append(log) }
      open += nodes[node].dependents.map(\.node)
    }
    return logs
  }
}

extension StateGraph.Node {
  var isValid: Bool { face?.isValid.load(ordering: .relaxed) ?? true }

  /// Whether its value does not change any more.
  var isOver: Bool { isValid && endedSources == sources.count }

  /// Few parts are all looked at.
  fileprivate mutating func noteChange(of part: Int) {
    guard let known = changed, known.last != part else { return }
    if sources.count <= 4 || known.count >= sources.count {
      changed = nil
    } else {
      changed?.append(part)
    }
  }
}
