import Synchronization

/// One subscription to several states, and the last value it has taken of each.
final class StateMerge: Sendable {
  let cursor: MergedCursor
  private let roots: [any AnyStateRoot]
  private let readings: Locked<StateReadings>

  init(of roots: [any AnyStateRoot], buffering policy: BufferingPolicy?) {
    self.roots = roots
    var readings = StateReadings()
    let order = MergeOrder(of: roots.count, buffering: policy ?? .unbounded)
    let sources = roots.enumerated().map { number, root in
      let (source, last) = root.subscribe(
        buffering: policy, mergedAt: MergePlace(in: order, number: number))
      readings[root.id] = last
      return source
    }
    cursor = MergedCursor(sources, in: order)
    self.readings = Locked(readings)
  }

  /// Takes the next change, if there is one. It is skipped while not all values are known yet.
  ///
  /// Values are noted while the cursor's lock is held, so in the order in which they are taken, by
  /// whatever consumer.
  func take(_ terms: Terms, as ticket: UInt64) -> Feed<StateChange>.Taken {
    if terms == .atOnce { return .nothing }
    // Outlives the lock: this may be the last reference to a value, whose `deinit` then runs.
    var replaced: [any Sendable] = []
    defer { withExtendedLifetime(replaced) {} }
    let taken = cursor.take(terms, as: ticket) { changes -> Feed<StateChange>.Taken in
      let (known, all) = readings.withLock { readings in
        let known = readings.count
        for change in changes {
          if let old = readings.updateValue(change.value, forKey: roots[change.number].id) {
            replaced.append(old)
          }
        }
        return (known, readings)
      }
      guard all.count == roots.count else { return .skipped }
      let changed = known == roots.count ? changes.map { roots[$0.number].id } : nil
      return .element(StateChange(changed: changed, readings: all, ticket: ticket))
    }
    return taken ?? .nothing
  }
}
