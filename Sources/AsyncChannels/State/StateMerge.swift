import Synchronization

/// One subscription to several states, and the last value it has taken of each.
final class StateMerge: Sendable {
  let cursor: MergedCursor
  private let roots: [any AnyStateRoot]
  private let state: Locked<(readings: StateReadings, steps: Int)>

  init(of roots: [any AnyStateRoot], buffering policy: BufferingPolicy?) {
    self.roots = roots
    var readings = StateReadings()
    let order = MergeOrder(of: roots.count, buffering: policy ?? .unbounded)
    let sources = roots.enumerated().map { number, root in
      let (source, last) = root.subscribe(
        buffering: policy, mergedAt: MergePlace(in: order, number: number))
      readings.values[root.id] = last
      return source
    }
    cursor = MergedCursor(sources, in: order)
    state = Locked((readings, 0))
  }

  /// Takes the next change, if there is one. It is skipped while not all values are known yet.
  ///
  /// Values are noted while the cursor's lock is held, so in the order in which consumers take
  /// them.
  func take(_ terms: Terms, as ticket: UInt64) -> Feed<StateChange>.Taken {
    if terms == .atOnce { return .nothing }
    // Outlives the lock: this may be the last reference to a value, whose `deinit` then runs.
    var replaced: [AnyStateValue] = []
    defer { withExtendedLifetime(replaced) {} }
    let taken = cursor.take(terms, as: ticket) { changes -> Feed<StateChange>.Taken in
      let (known, all, number) = state.withLock { state in
        let known = state.readings.values.count
        state.steps += 1
        for change in changes {
          let id = roots[change.number].id
          if let old = state.readings.values.updateValue(change.value, forKey: id) {
            replaced.append(old)
          }
        }
        return (known, state.readings, state.steps)
      }
      guard all.values.count == roots.count else { return .skipped }
      let changed = known == roots.count ? changes.map { roots[$0.number].id } : nil
      return .element(
        StateChange(number: number, changed: changed, readings: all, ticket: ticket))
    }
    return taken ?? .nothing
  }
}
