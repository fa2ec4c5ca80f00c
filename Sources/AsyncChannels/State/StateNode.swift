import Synchronization

/// What a write tells of derived state.
@usableFromInline
final class StateFace: Sendable {
  /// In the graph; zero before its first use. Written under the graph's lock.
  let number = Atomic(0)
  /// Whether its known value is the one that there is. Written under the graph's lock.
  let isValid = Atomic(false)
  /// Whether all that it is made of is in the graph.
  let isRegistered = Atomic(false)
  /// Made when it is first read.
  let observed = AtomicLazyReference<ObservedValue>()
  /// Has an element each time that it was marked: its followers wait for that. Made for the first of them.
  let ticks = AtomicLazyReference<BroadcastLog<Int>>()
  /// Computes it, if it is there. Made for the first follower.
  let follower = AtomicLazyReference<Follower>()

  final class Follower: Sendable {
    let compute: @Sendable () -> Void

    init(_ compute: @escaping @Sendable () -> Void) {
      self.compute = compute
    }
  }

  init() {}
}

/// One of the states that derived state is made of.
@usableFromInline
enum StatePart: Sendable {
  case root(BroadcastLogBase)
  case derived(StateNode)
}

extension StateNode {
  var number: Int { face.number.load(ordering: .relaxed) }

  /// Brings all that it is made of into the graph, so that what is written from now on is known.
  func register() {
    if face.isRegistered.load(ordering: .acquiring) { return }
    var open: [StateNode] = [self]
    var registered: [StateFace] = []
    while let node = open.popLast() {
      if node.face.isRegistered.load(ordering: .acquiring) { continue }
      let isNew = StateGraph.with { graph in
        let isNew = node.number == 0 || !graph[node.number].isLinked
        _ = graph.link(node)
        return isNew
      }
      guard isNew || node === self else { continue }
      registered.append(node.face)
      for case .derived(let part) in node.parts { open.append(part) }
    }
    for face in registered { face.isRegistered.store(true, ordering: .releasing) }
  }
}

/// Derived state: a node of the graph, whose values are in boxes, so that nothing here depends on their type.
@usableFromInline
final class StateNode: Sendable {
  @usableFromInline typealias Read = @Sendable (Evaluation) -> AnyBox
  /// Makes a value of the one before, where these parts have changed.
  @usableFromInline
  typealias Update = @Sendable (_ before: AnyBox, _ changed: [Int], Evaluation) -> AnyBox

  let face = StateFace()
  private let memo: Locked<Memo>

  /// What it is made of, and how.
  struct Recipe: Sendable {
    let parts: [StatePart]
    let read: Read
    let update: Update?
    /// Whether two values are the same to those who read and follow it.
    let areEqual: (@Sendable (AnyBox, AnyBox) -> Bool)?
  }

  /// What is known of it. Written with the graph's lock held, too.
  private struct Memo: Sendable {
    /// Until it is dropped.
    var recipe: Recipe?
    var value: AnyBox?
    /// As in the graph, both.
    var changedAt = 0
    var valueAt = 0
    /// What its closure has read beyond its parts, in order.
    var reads: [StatePart] = []
  }

  /// A value, and when it last changed.
  struct Reading {
    let value: AnyBox
    let changedAt: Int
    /// Whether nothing has changed since.
    let isCurrent: Bool
  }

  @usableFromInline
  init(
    of parts: [StatePart], areEqual: (@Sendable (AnyBox, AnyBox) -> Bool)? = nil,
    update: Update? = nil, read: @escaping Read
  ) {
    memo = Locked(
      Memo(recipe: Recipe(parts: parts, read: read, update: update, areEqual: areEqual)))
  }

  deinit {
    let (number, count) = (number, parts.count)
    if number != 0 { StateGraph.with { $0.remove(number, parts: count) } }
    // Nothing else refers to it: it is destroyed there.
    Dropped.drop(memo.withLock { exchange(&$0, with: Memo()) })
  }

  private var recipe: Recipe {
    guard let recipe = memo.withLock({ $0.recipe }) else {
      preconditionFailure("What is used is not dropped.")
    }
    return recipe
  }

  var parts: [StatePart] { memo.withLock { $0.recipe?.parts ?? [] } }

  var reads: [StatePart] { memo.withLock { $0.reads } }

  @usableFromInline
  var value: AnyBox {
    if let evaluation = Evaluation.current { return evaluation.follow(self) }
    observed.access()
    guard let reading = reading(mayWait: true) else {
      preconditionFailure("It waits until a value is there.")
    }
    return reading.value
  }

  var observed: ObservedValue {
    face.observed.load() ?? face.observed.storeIfNil(ObservedValue())
  }

  /// Its value, computed if something has changed; nil while a part is being changed in place, if it may not wait
  /// until that is done.
  func reading(mayWait: Bool) -> Reading? {
    if face.isValid.load(ordering: .acquiring), let known = known(upTo: .max) {
      return Reading(value: known.value, changedAt: known.changedAt, isCurrent: true)
    }
    register()
    while true {
      let evaluation = Evaluation(mayWait: mayWait)
      evaluation.begin()
      defer { evaluation.end() }
      evaluation.bring(self)
      switch evaluation.outcome {
      case .missing: return nil
      case .again: continue
      case .current, .outdated:
        return Reading(
          value: evaluation.value(of: self), changedAt: evaluation.changedAt(self),
          isCurrent: evaluation.outcome == .current)
      }
    }
  }

  /// What is known of it, if that had its value at a moment.
  func known(upTo moment: Int) -> (value: AnyBox, changedAt: Int)? {
    memo.withLock { memo in
      guard memo.valueAt <= moment, let value = memo.value else { return nil }
      return (value, memo.changedAt)
    }
  }

  /// Without what is known of it.
  func computed(in evaluation: Evaluation) -> AnyBox { recipe.read(evaluation) }

  func isSame(_ one: AnyBox, _ other: AnyBox) -> Bool { recipe.areEqual?(one, other) ?? false }

  /// Computes its value.
  ///
  /// - Parameter changed: Which parts have changed; nil if all may have.
  func compute(in evaluation: Evaluation, changed: [Int]?) {
    let recipe = recipe
    let known =
      recipe.update == nil && recipe.areEqual == nil ? nil : known(upTo: evaluation.moment)?.value
    if let update = recipe.update, let changed, let known {
      return evaluation.finish(
        self, update(known, changed, evaluation), isChanged: true, hasRun: false)
    }
    let value = recipe.read(evaluation)
    let isSame = known.map { recipe.areEqual?($0, value) ?? false } ?? false
    evaluation.finish(self, value, isChanged: !isSame, hasRun: true)
  }

  /// Keeps the value that is known. False if it is not known of that moment.
  func keep(in evaluation: Evaluation) -> Bool {
    guard let known = known(upTo: evaluation.moment) else { return false }
    evaluation.finish(self, known.value, isNew: false, isChanged: false, hasRun: false)
    return true
  }

  /// With the graph's lock held. Returns what is to be destroyed without it.
  func store(
    _ value: AnyBox, at moment: Int, isChanged: Bool, reads: [StatePart]?
  ) -> (AnyBox?, [StatePart]) {
    memo.withLock { memo in
      if isChanged { memo.changedAt = moment }
      memo.valueAt = moment
      return (
        exchange(&memo.value, with: value), reads.map { exchange(&memo.reads, with: $0) } ?? []
      )
    }
  }
}

/// A node, and the type of its values.
@frozen @usableFromInline
struct DerivedState<Value: Sendable>: Sendable {
  @usableFromInline let node: StateNode

  @inlinable
  init(_ node: StateNode) {
    self.node = node
  }

  @inlinable
  init(of parts: [StatePart], read: @escaping @Sendable (Evaluation) -> Value) {
    node = StateNode(of: parts) { Box(read($0)) }
  }

  @inlinable
  var value: Value { node.value.value(as: Value.self) }
}

/// What derived state was made of when it was dropped: destroyed one after the other, and not one within the other,
/// since there may be thousands of steps.
private enum Dropped {
  /// By thread, while that destroys some.
  private static let all = Locked<[UInt: [any Sendable]]>([:])

  static func drop(_ old: consuming any Sendable) {
    let thread = CurrentThread.identifier
    var next: (any Sendable)? = consume old
    let isFirst = all.withLock { all in
      guard let last = next.take() else { return false }
      let isFirst = all[thread] == nil
      all[thread, default: []].append(last)
      return isFirst
    }
    guard isFirst else { return }
    // Each is destroyed before the next is looked for, and leaves what it was made of.
    while let last = all.withLock({ $0[thread]?.popLast() }) { destroy(last) }
    all.withLock { $0[thread] = nil }
  }

  private static func destroy(_ last: consuming any Sendable) {}
}
