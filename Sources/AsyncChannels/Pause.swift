import Synchronization

/// Returns when nothing has come to a subscription for some time, when no more can come, or when the
/// task is cancelled.
typealias Pause = @Sendable (_ watching: Waiter) async -> Void

/// A pause that begins anew with each arrival.
///
/// A timer that slept anew for each arrival would be cancelled and started at each key stroke. So
/// arrivals only note their time, and the timer, when it ends, sleeps for what is left.
final class Quiet<Time: Clock<Duration>>: Sendable {
  private enum End {
    case quiet, finished
  }

  private let quiet: Duration
  private let clock: Time
  /// They note arrivals as they come.
  private let watchers: [Waiter]
  /// They tell the timer of arrivals that are not noted yet.
  private let timers: [Waiter]
  private let lastArrival: Locked<Time.Instant>

  init(of quiet: Duration, on clock: Time, watching waiter: Waiter) {
    self.quiet = quiet.countable
    self.clock = clock
    watchers = waiter.makeWatchers()
    timers = waiter.makeWatchers()
    lastArrival = Locked(clock.now)
  }

  func wait() async {
    var openWatchers = watchers.count
    guard openWatchers > 0 else { return }
    await withTaskGroup(of: End.self) { group in
      group.addTask { await self.untilQuiet() }
      for watcher in watchers { group.addTask { await self.noteArrivals(of: watcher) } }
      for await end in group {
        if end == .finished { openWatchers -= 1 }
        if end == .quiet || openWatchers == 0 { break }
      }
      group.cancelAll()
    }
  }

  private func noteArrivals(of watcher: Waiter) async -> End {
    let ticket = watcher.makeTicket()
    while await watcher.waitForElement(as: ticket, isolation: nil) { noteArrival() }
    return .finished
  }

  private func untilQuiet() async -> End {
    let tickets = timers.map { $0.makeTicket() }
    while !Task.isCancelled {
      let last = lastArrival.withLock { $0 }
      try? await clock.sleep(until: last.advanced(by: quiet), tolerance: nil)
      let hasMoreCome = zip(timers, tickets).count { $0.look(as: $1) == .readable } > 0
      // What has come and is not noted yet has come just now.
      if hasMoreCome, lastArrival.withLock({ $0 }) == last { noteArrival() }
      if !hasMoreCome { break }
    }
    return .quiet
  }

  private func noteArrival() {
    let now = clock.now
    lastArrival.withLock { $0 = max($0, now) }
  }
}
