import Synchronization

/// How long nothing must have come to a subscription.
struct Pause: Sendable {
  private let wait: @Sendable (Waiter) async -> Void

  init(of quiet: Duration, on clock: some Clock<Duration>) {
    wait = { await Quiet(of: quiet, on: clock, watching: $0).wait() }
  }

  /// Returns when nothing has come for that long, when no more can come, or when the task is
  /// cancelled.
  func wait(watching waiter: Waiter) async {
    await wait(waiter)
  }
}

/// A pause that begins anew with each arrival.
///
/// A timer that slept anew for each arrival would be cancelled and started at each key stroke. So
/// arrivals only note their time, and the timer, when it ends, sleeps for what is left.
private struct Quiet<Time: Clock<Duration>>: Sendable {
  private enum End {
    case quiet, finished
  }

  private let quiet: Duration
  private let clock: Time
  /// They note arrivals as they come.
  private let watchers: [Waiter]
  /// They tell the timer of arrivals that are not noted yet.
  private let timers: [Waiter]
  private let lastArrival: LastArrival<Time.Instant>

  init(of quiet: Duration, on clock: Time, watching waiter: Waiter) {
    self.quiet = quiet.countable
    self.clock = clock
    watchers = waiter.makeWatchers()
    timers = waiter.makeWatchers()
    lastArrival = LastArrival(clock.now)
  }

  func wait() async {
    var openWatchers = watchers.count
    guard openWatchers > 0 else { return }
    await withTaskGroup(of: End.self) { group in
      group.addTask { await untilQuiet() }
      for watcher in watchers { group.addTask { await noteArrivals(of: watcher) } }
      for await end in group {
        if end == .finished { openWatchers -= 1 }
        if end == .quiet || openWatchers == 0 { break }
      }
      group.cancelAll()
    }
  }

  private func noteArrivals(of watcher: Waiter) async -> End {
    let ticket = watcher.lease.makeTicket()
    while await watcher.waitForElement(as: ticket, isolation: nil) {
      lastArrival.note(clock.now)
    }
    return .finished
  }

  private func untilQuiet() async -> End {
    let tickets = timers.map { $0.lease.makeTicket() }
    while !Task.isCancelled {
      let last = lastArrival.instant
      try? await clock.sleep(until: last.advanced(by: quiet), tolerance: nil)
      let hasMoreCome = zip(timers, tickets).count { $0.look(as: $1) == .readable } > 0
      // What has come and is not noted yet has come just now.
      if hasMoreCome, lastArrival.instant == last { lastArrival.note(clock.now) }
      if !hasMoreCome { break }
    }
    return .quiet
  }
}

private final class LastArrival<Instant: InstantProtocol>: Sendable {
  private let last: Locked<Instant>

  init(_ instant: Instant) {
    last = Locked(instant)
  }

  var instant: Instant { last.withLock { $0 } }

  func note(_ instant: Instant) {
    last.withLock { $0 = max($0, instant) }
  }
}
