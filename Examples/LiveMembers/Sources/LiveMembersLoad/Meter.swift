import Synchronization

/// When each change was in how many tabs.
final class Meter: Sendable {
  private struct State {
    var open = 0
    var newest = 0
    var missed = 0
    var counts: [Int: Int] = [:]
    var times: [Int: ContinuousClock.Instant] = [:]
  }

  private let tabs: Int
  private let state = Mutex(State())

  init(tabs: Int) {
    self.tabs = tabs
  }

  var newest: Int { state.withLock { $0.newest } }
  var missed: Int { state.withLock { $0.missed } }

  func opened(at revision: Int) {
    state.withLock {
      $0.open += 1
      $0.newest = max($0.newest, revision)
    }
  }

  func changed(from old: Int, to new: Int) {
    let now = ContinuousClock.now
    state.withLock {
      $0.missed += new - old - 1
      // A tab that has a newer list has the change, too.
      for revision in old + 1...new {
        $0.counts[revision, default: 0] += 1
        if $0.counts[revision] == tabs { $0.times[revision] = now }
      }
    }
  }

  func allAreOpen(within limit: Duration) async -> Bool {
    await poll(within: limit) { $0.open == tabs ? true : nil } ?? false
  }

  /// When a change was in the last of all tabs.
  func time(of revision: Int, within limit: Duration) async -> ContinuousClock.Instant? {
    await poll(within: limit) { $0.times[revision] }
  }

  /// The time that is measured is taken where it happens; when it is looked at does not matter.
  private func poll<Value: Sendable>(
    within limit: Duration, _ read: @Sendable (State) -> Value?
  ) async -> Value? {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
      if let value = state.withLock({ read($0) }) { return value }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return nil
  }
}
