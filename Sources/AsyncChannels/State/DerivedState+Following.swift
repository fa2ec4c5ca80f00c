import Synchronization

/// Following derived state: a subscription waits for the node to be marked as changed, and takes its value then.
extension DerivedState {
  @usableFromInline
  var outlet: Outlet<Value> {
    Outlet(of: node.logs) { self.feed(buffering: $0) }
  }

  @usableFromInline
  func feed(buffering policy: BufferingPolicy?) -> Feed<Value> {
    policy?.validate(for: Value.self)
    guard let (cursor, following) = node.follow() else {
      return Outlet.just(value).feed(buffering: policy)
    }
    return .derived(cursor) { mode, epoch in
      guard case .element = Feed.cursor(cursor).take(mode, as: epoch) else { return .nothing }
      switch following.take(evenIfCancelled: mode == .evenIfCancelled) {
      case .element(let box): return .element(box.value(as: Value.self))
      case .skipped: return .skipped
      case .nothing: return .nothing
      }
    }
  }
}

extension StateNode {
  /// Those of all whose followers get what this is made of.
  var logs: [BroadcastLogBase] {
    register()
    return StateGraph.with { $0.logs(around: self.number) }
  }

  /// Nil if it does not change any more.
  func follow() -> (Cursor<Int>, Following)? {
    register()
    let (log, number) = (ticks, number)
    if face.follower.load() == nil {
      _ = face.follower.storeIfNil(.init { [weak self] in _ = self?.reading(mayWait: false) })
    }
    let hasEnded = StateGraph.with { graph in
      if graph[number].hasEnded { return true }
      graph.use(number, by: 1)
      return false
    }
    if hasEnded { return nil }
    let following = Following(of: self)
    let cursor = log.subscribe(buffering: .bufferingNewest(1))
    cursor.rearm = { StateGraph.with { $0.arm(number) } }
    return (cursor, following)
  }

  private var ticks: BroadcastLog<Int> {
    if let known = face.ticks.load() { return known }
    let new = BroadcastLog<Int>(replaying: 1, buffering: .unbounded)
    _ = new.send(0, replayed: true)
    return face.ticks.storeIfNil(new)
  }

  /// What one subscription knows. While it lives, the node counts as followed.
  final class Following: Sendable {
    private let node: StateNode
    private let last = Locked<(value: AnyBox, changedAt: Int)?>(nil)

    /// It was counted already.
    init(of node: StateNode) {
      self.node = node
    }

    deinit {
      StateGraph.with { [node] in $0.use(node.number, by: -1) }
    }

    /// The value that there is, if it is another than the last. While a part of it is being changed in place there is
    /// none, and another tick when that is done.
    ///
    /// The value may be newer than the tick, and so than the end of `cancel()`. Then it is left to the next consumer. A
    /// consumer that was displaced may come late: then a newer one has got a newer value.
    func take(evenIfCancelled: Bool) -> Feed<AnyBox>.Taken {
      guard let reading = node.reading(mayWait: false) else { return .skipped }
      if !evenIfCancelled, Task.isCancelled {
        StateGraph.with { [node] in $0.tickAgain(node.face) }
        return .nothing
      }
      let old = last.withLock { last in
        if let last, last.changedAt >= reading.changedAt {
          return (isNew: false, value: AnyBox?.none)
        }
        let old = exchange(&last, with: (reading.value, reading.changedAt))
        return (isNew: true, value: old?.value)
      }
      guard old.isNew else { return .skipped }
      if let value = old.value, node.isSame(value, reading.value) { return .skipped }
      return .element(reading.value)
    }
  }
}
