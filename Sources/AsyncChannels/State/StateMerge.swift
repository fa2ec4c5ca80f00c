/// One subscription to all states that derived state is made of.
@usableFromInline
final class StateMerge: @unchecked Sendable {
  private let cursor: MergedCursor
  /// Touched with the cursor's lock held.
  @exclusivity(unchecked) private var graph: StateGraph

  @usableFromInline var waiter: Waiter { cursor }

  /// Nil for state that never changes.
  @usableFromInline
  init?(of node: StateNode, buffering policy: BufferingPolicy?) {
    graph = StateGraph(of: node)
    if graph.leaves.isEmpty { return nil }
    let order = MergeOrder(of: graph.leaves.count, buffering: policy ?? .unbounded)
    let sources = graph.leaves.enumerated().map { number, leaf in
      leaf.subscribe(buffering: policy, mergedAt: MergePlace(in: order, number: number))
    }
    cursor = MergedCursor(sources, in: order)
    graph.countUnknown()
  }

  /// Takes what is there for the next step, and computes what it changes. It is skipped while not all values are known
  /// yet. A graph that it returns is its caller's, who has to end it.
  ///
  /// A consumer that was displaced may still compute when a newer one comes. The newer one leaves it the graph, and makes
  /// another of the values that it has taken last. It computes all of them once, so that it can tell what changes then.
  @usableFromInline
  func step(_ mode: TakeMode, as epoch: UInt64) -> Feed<StateGraph>.Taken {
    if mode == .atOnce, cursor.hasReturned { return .nothing }
    var (isNew, isEmpty) = (false, false)
    // Outlives the lock: who has it may be done meanwhile, and its values would be destroyed with the lock held.
    var left: StateGraph?
    defer { withExtendedLifetime(left) {} }
    let begun = cursor.withPlace(of: epoch) { () -> StateGraph? in
      let known = graph
      isNew = !known.isIdle
      if isNew {
        left = known
        graph = StateGraph(insteadOf: known)
        return graph
      }
      // Before the first element, what is skipped belongs to a step that is not done: nothing more is asked for.
      let isStep = known.isBegun || mode == .evenIfCancelled
      isEmpty = !cursor.take(isStep ? mode : .more, into: known)
      guard isEmpty else {
        known.begin()
        return known
      }
      return known.holdLeftovers() ? known : nil
    }
    guard let begun else { return .nothing }
    if isEmpty {
      begun.removeLeftovers()
      begun.end()
      return .nothing
    }
    if begun.compute(), !isNew { return .element(begun) }
    begun.end()
    return .skipped
  }
}
