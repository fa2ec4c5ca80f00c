import Synchronization

/// Computes derived state, as it was at one moment, on one thread, with no lock held while a closure runs.
///
/// **One moment.** It is the clock of the graph when this begins. A root that was written since then is read as it was:
/// whoever writes a root while evaluations run saves the value before for them. So all that a closure gets existed
/// at one time, and no writer waits for a closure, nor a closure for a writer, however fast that is.
///
/// **Published.** What was computed becomes the node's known value only if the node was not marked since it was armed, and if
/// nothing that it is made of was found changed since the moment. Otherwise it is this evaluation's own.
@usableFromInline
final class Evaluation: Sendable {
  private let thread = CurrentThread.identifier
  private let mayWait: Bool
  fileprivate let state = Locked(State())

  fileprivate struct State: Sendable {
    var moment = 0
    /// Of roots that were written since.
    var saved: [Int: AnyBox] = [:]
    /// What was computed and not published.
    var own: [Int: AnyBox] = [:]
    /// The nodes that are being computed, each for the one before it.
    var open: [Open] = []
    var outcome = Outcome.current
    var isUntracked = false
    /// What is to be destroyed with no lock held.
    var garbage: [[Int: AnyBox]] = []
  }

  fileprivate struct Open: Sendable {
    let number: Int
    /// That of the node when it was armed.
    let epoch: Int
    let partCount: Int
    var reads: [(source: Int, part: StatePart)] = []
  }

  enum Outcome: Sendable {
    case current
    /// Something has changed meanwhile. Who waits for that is told.
    case outdated
    /// Nothing was computed: a part is being changed in place.
    case missing
    /// What was computed is not of one moment, or nobody would be told that it is outdated.
    case again
  }

  init(mayWait: Bool) {
    self.mayWait = mayWait
  }

  func begin() {
    StateGraph.running.wrappingAdd(1, ordering: .relaxed)
    StateGraph.with { graph in
      state.withLock { $0.moment = graph.clock }
      graph.begin(self)
    }
  }

  func end() {
    StateGraph.with { $0.end(self) }
    StateGraph.running.wrappingSubtract(1, ordering: .relaxed)
  }

  /// That of a closure that this thread runs, if it follows what it reads.
  @usableFromInline
  static var current: Evaluation? {
    StateGraph.running.load(ordering: .relaxed) == 0 ? nil : ofThisThread
  }

  private static var ofThisThread: Evaluation? {
    let thread = CurrentThread.identifier
    let newest = StateGraph.shared.withLock { $0.evaluations.last { $0.thread == thread } }
    return newest?.state.withLock { $0.isUntracked || $0.open.isEmpty } == false ? newest : nil
  }

  var moment: Int { state.withLock { $0.moment } }
  var outcome: Outcome { state.withLock { $0.outcome } }

  func untracked<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    state.withLock { $0.isUntracked = true }
    defer { state.withLock { $0.isUntracked = false } }
    return try body()
  }

  /// With the graph's lock held.
  func save(_ value: AnyBox, of root: Int, ifChangedAt changedAt: Int) {
    state.withLock { state in
      if changedAt <= state.moment, state.saved[root] == nil { state.saved[root] = value }
    }
  }
}

/// What closures read.
extension Evaluation {
  /// A state that a closure reads, and follows from now on.
  @usableFromInline
  func follow(_ node: StateNode) -> AnyBox {
    node.register()
    link(.derived(node))
    bring(node)
    return value(of: node)
  }

  @inlinable
  func follow<Value>(_ root: StateRoot<Value>) -> Value {
    link(.root(root.log))
    return value(of: root)
  }

  /// Before it is read: what changes it later marks what is being computed.
  @usableFromInline
  func link(_ part: StatePart) {
    StateGraph.with { graph in
      state.withLock { state in
        guard let last = state.open.indices.last else { return }
        let open = state.open[last]
        let source = graph.number(of: part)
        if source == open.number { Self.refuseCycle() }
        if open.reads.contains(where: { $0.source == source }) { return }
        let index = open.partCount + open.reads.count
        let known = graph[open.number].sources
        if index >= known.count || known[index] != source,
          !known[open.partCount...].contains(source)
        {
          graph.link(source, to: .init(node: open.number, part: -1))
        }
        state.open[last].reads.append((source, part))
      }
    }
  }

  static func refuseCycle() -> Never {
    Diagnostics.programmerError("A derived state reads itself in its closure.")
  }

  /// Of a part, or of what was linked.
  @inlinable
  func value<Value>(of root: StateRoot<Value>) -> Value {
    while true {
      let newest = root.log.newest
      switch judge(root.log) {
      case .newest: if let newest { return newest }
      case .saved(let old): return old.value(as: Value.self)
      case .retry: continue
      }
      // Somebody changes it in place. Whoever began to do so before this evaluation began has not saved it.
      root.observed.writers.requireNotHeldByThisThread(of: Value.self)
      _ = root.log.newest(after: root.observed.writers)
    }
  }

  /// What a root had as its value at the moment.
  @usableFromInline
  enum Judgement {
    /// What it has, and what it had when it was last read.
    case newest
    case saved(AnyBox)
    case retry
  }

  /// To be called when its newest value was read.
  @usableFromInline
  func judge(_ log: BroadcastLogBase) -> Judgement {
    StateGraph.with { graph in
      let number = graph.number(of: log)
      return state.withLock { state in
        graph[number].isArmed = true
        if graph[number].changedAt <= state.moment { return .newest }
        if let old = state.saved[number] {
          state.outcome = max(state.outcome, .outdated)
          return .saved(old)
        }
        if state.outcome >= .again { return .newest }
        state.catchUp(with: &graph)
        return .retry
      }
    }
  }

  @usableFromInline
  func value(of node: StateNode) -> AnyBox {
    while true {
      let (own, outcome, moment) = state.withLock { state in
        (state.own.isEmpty ? nil : state.own[node.number], state.outcome, state.moment)
      }
      if let own { return own }
      if let known = node.known(upTo: moment) { return known.value }
      // What a closure gets that is called in vain.
      if outcome >= .missing { return node.computed(in: self) }
      bring(node)
    }
  }
}

extension Evaluation.State {
  /// Something was written that was not saved: it was not in the graph then, or is changed in place. If nothing
  /// has changed that was read before, the moment is now.
  fileprivate mutating func catchUp(with graph: inout StateGraph) {
    if outcome == .current, open.allSatisfy({ graph[$0.number].epoch == $0.epoch }) {
      moment = graph.clock
      garbage.append(exchange(&saved, with: [:]))
    } else {
      outcome = max(outcome, .again)
    }
  }
}

extension Evaluation.Outcome: Comparable {}

/// Computing.
extension Evaluation {
  /// A node, and what is known of its parts.
  private struct Step {
    let node: StateNode
    /// Nil for all.
    let changed: [Int]?
    var next = 0
    var mustCompute: Bool

    /// The next part that may have changed.
    mutating func nextPart() -> StatePart? {
      let count = changed?.count ?? node.parts.count
      while next < count {
        defer { next += 1 }
        let index = changed?[next] ?? next
        if index >= 0 { return node.parts[index] }
      }
      return nil
    }
  }

  /// Brings a node, and what it is made of, up to the moment. Parts come first, so that this needs no deeper stack for
  /// more steps.
  func bring(_ top: StateNode) {
    let isNested = state.withLock { !$0.open.isEmpty }
    guard var step = begin(top, isNested: isNested) else { return }
    var outer: [Step] = []
    while true {
      if let part = step.nextPart() {
        if case .derived(let node) = part, let inner = begin(node, isNested: isNested) {
          outer.append(step)
          step = inner
        }
        continue
      }
      compute(step)
      guard let last = outer.popLast() else { return }
      step = last
    }
  }

  /// Nil if its value at the moment is known.
  ///
  /// - Parameter isNested: Whether a closure is running: only what that reads can lead back to a node.
  private func begin(_ node: StateNode, isNested: Bool) -> Step? {
    StateGraph.with { graph in
      let number = graph.link(node)
      return state.withLock { state in
        if state.outcome >= .missing || state.own[number] != nil { return nil }
        let known = graph[number]
        if known.isValid, known.valueAt <= state.moment { return nil }
        if isNested, state.open.contains(where: { $0.number == number }) { Self.refuseCycle() }
        graph[number].isArmed = true
        let isNew = known.isValid || known.checkedAt < 0 || known.checkedAt > state.moment
        let changed = isNew ? nil : known.changed
        if !mayWait, !graph.areThere(node, changed) {
          state.outcome = .missing
          return nil
        }
        state.open.append(
          Open(number: number, epoch: known.epoch, partCount: node.parts.count))
        return Step(node: node, changed: changed, mustCompute: isNew)
      }
    }
  }

  private func compute(_ step: Step) {
    if outcome >= .missing {
      _ = state.withLock { $0.open.popLast() }
    } else if step.mustCompute || isChanged(step) {
      step.node.compute(in: self, changed: step.mustCompute ? nil : onlyChanged(step))
    } else if !step.node.keep(in: self) {
      step.node.compute(in: self, changed: nil)
    }
  }

  /// Whether one of its parts, or of what it reads, is another than when it was last computed.
  private func isChanged(_ step: Step) -> Bool {
    if !(onlyChanged(step) ?? []).isEmpty { return true }
    if let changed = step.changed, !changed.contains(-1) { return false }
    // One after the other, as they were read: after the first that has changed, the others may be read no more.
    for part in step.node.reads {
      if case .derived(let node) = part { bring(node) }
      let hasChanged = StateGraph.with { graph in
        let number = graph.number(of: part)
        return state.withLock { isChanged(number, in: &graph, for: step.node.number, $0) }
      }
      if hasChanged { return true }
    }
    return false
  }

  private func onlyChanged(_ step: Step) -> [Int]? {
    StateGraph.with { graph in
      state.withLock { state in
        let number = step.node.number
        let parts = step.changed ?? Array(step.node.parts.indices)
        return parts.filter { part in
          part >= 0
            && isChanged(graph[number].sources[part], in: &graph, for: number, state)
        }
      }
    }
  }

  private func isChanged(
    _ source: Int, in graph: inout StateGraph, for number: Int, _ state: State
  ) -> Bool {
    graph[source].changedAt > graph[number].checkedAt || state.own[source] != nil
  }

  /// Publishes a value, if it may be.
  ///
  /// - Parameters:
  ///   - isNew: Whether it was computed just now. A new value that equals the old one takes its place, and is no change.
  ///   - hasRun: Whether the closure has run, and so what it reads is known anew.
  func finish(
    _ node: StateNode, _ value: AnyBox, isNew: Bool = true, isChanged: Bool, hasRun: Bool
  ) {
    // These outlive the lock.
    guard let open = state.withLock({ $0.open.popLast() }) else { return }
    let (reads, known) = (open.reads.map(\.part), hasRun ? [] : node.reads)
    var old: (AnyBox?, [StatePart]) = (nil, [])
    StateGraph.with { graph in
      state.withLock { state in
        guard state.outcome < .missing else { return }
        let number = open.number
        let isMarked = graph[number].epoch != open.epoch
        if state.outcome == .outdated || graph[number].checkedAt > state.moment {
          // Only who was marked is told.
          if state.open.isEmpty, !isMarked { state.outcome = .again }
          state.own[number] = value
          return
        }
        // Another evaluation may have removed the edges of what this one has read.
        if isMarked, !open.reads.isEmpty || graph[number].sources.count > open.partCount {
          state.own[number] = value
          if state.open.isEmpty { state.outcome = .outdated }
          return
        }
        // Another thread was faster.
        if graph[number].isValid, graph[number].valueAt <= state.moment {
          let sources = node.reads.map { graph.number(of: $0) }
          graph.setReads(sources, of: number, behind: open.partCount)
          if graph[number].isOver { graph.end(number) }
          return
        }
        if isNew {
          old = node.store(
            value, at: state.moment, isChanged: isChanged,
            reads: hasRun ? reads : nil)
          graph[number].valueAt = state.moment
        }
        if isChanged { graph[number].changedAt = state.moment }
        graph[number].checkedAt = state.moment
        if isMarked {
          state.own[number] = value
          if state.open.isEmpty { state.outcome = .outdated }
          return
        }
        graph[number].changed = []
        node.face.isValid.store(true, ordering: .releasing)
        // Evaluations that were outdated may have left edges, too.
        let sources = hasRun ? open.reads.map(\.source) : known.map { graph.number(of: $0) }
        graph.setReads(sources, of: number, behind: open.partCount)
        if graph[number].isOver { graph.end(number) }
      }
    }
    withExtendedLifetime((old, reads, known)) {}
  }

  /// When the value of the one that was brought last changed: after the last that a follower got, if it is another.
  func changedAt(_ node: StateNode) -> Int {
    let (isOwn, moment) = state.withLock { ($0.own[node.number] != nil, $0.moment) }
    return isOwn ? moment : node.known(upTo: moment)?.changedAt ?? moment
  }
}

extension StateGraph {
  /// Whether none of its parts is being changed in place. If one is, whoever does that marks the node.
  fileprivate mutating func areThere(_ node: StateNode, _ changed: [Int]?) -> Bool {
    var areThere = true
    for part in node.parts {
      guard case .root(let log) = part, !log.hasNewest else { continue }
      self[number(of: part)].isArmed = true
      areThere = false
    }
    return areThere
  }
}
