import Synchronization

/// How long an input must stay quiet before work on its newest element begins: `debounce: .milliseconds(300)`.
public struct Debounce<Element>: Sendable {
  let quiet: Duration

  /// Traps if the duration is negative.
  public init(_ quiet: Duration) {
    if quiet < .zero {
      Misuse.trap("A debounce of \(Element.self) cannot last \(quiet): it lasts at least zero.")
    }
    self.quiet = quiet
  }

  /// So many seconds.
  public static func seconds(_ seconds: Double) -> Self { Self(.seconds(seconds)) }

  /// So many milliseconds.
  public static func milliseconds(_ milliseconds: Double) -> Self {
    Self(.milliseconds(milliseconds))
  }

  /// Nil if there is nothing to wait for.
  func pause(on clock: some Clock<Duration>) -> DebounceWait? {
    if quiet == .zero { return nil }
    let (quiet, clock) = (quiet, DebounceClock(clock))
    return { await DebounceTimer(of: quiet, on: clock, watching: $0).wait() }
  }
}

/// Returns when nothing has come to a subscription for some time, when no more can come, or when the
/// task is cancelled. What it returns is how many elements had come by then, those that were dropped
/// included: elements that come after it was decided are not meant.
typealias DebounceWait = @Sendable (_ watching: Waiter) async -> Int

/// A pause that begins anew with each arrival.
///
/// A timer that slept anew for each arrival would be cancelled and started at each key stroke. So
/// arrivals only note their time, and the timer, when it ends, sleeps for what is left.
final class DebounceTimer: Sendable {
  private let waiter: Waiter
  private let quiet: Duration
  private let clock: DebounceClock
  /// They note arrivals as they come.
  private let watchers: [ArrivalWatcher]
  /// They tell the timer of arrivals that are not noted yet.
  private let timers: [Waiter]
  private let lastArrival: Locked<Arrival>

  /// Two may come at the same time, of a clock that stands still.
  private struct Arrival: Equatable {
    var time: Duration
    var number = 0
  }

  init(of quiet: Duration, on clock: DebounceClock, watching waiter: Waiter) {
    self.waiter = waiter
    self.quiet = quiet.countable
    self.clock = clock
    watchers = waiter.makeWatchers()
    timers = waiter.makeWatchers()
    lastArrival = Locked(Arrival(time: clock.now()))
  }

  func wait() async -> Int {
    var openWatchers = watchers.count
    guard openWatchers > 0 else { return waiter.offeredCount }
    return await withTaskGroup(of: Int?.self) { group in
      group.addTask { await self.untilQuiet() }
      for watcher in watchers { group.addTask { await self.noteArrivals(of: watcher) } }
      defer { group.cancelAll() }
      for await offered in group {
        if let offered { return offered }
        openWatchers -= 1
        if openWatchers == 0 { break }
      }
      return waiter.offeredCount
    }
  }

  /// Returns nil when no more can come.
  private func noteArrivals(of watcher: Waiter) async -> Int? {
    let epoch = watcher.makeEpoch()
    while await watcher.waitForElement(as: epoch, isolation: nil) { noteArrival() }
    return nil
  }

  /// Returns how many elements had come by then.
  private func untilQuiet() async -> Int {
    let epochs = timers.map { $0.makeEpoch() }
    while true {
      let last = lastArrival.withLock { $0 }
      await clock.sleep(last.time + quiet)
      // Counted before the result: if that finds nothing new, all of these have been quiet.
      let offered = waiter.offeredCount
      let hasMoreCome = zip(timers, epochs).count { $0.poll(as: $1) == .readable } > 0
      let isNew = lastArrival.withLock { $0 } != last
      // What has come and is not noted yet has come just now.
      if hasMoreCome, !isNew || watchers.contains(where: \.hasMore) { noteArrival() }
      if !(hasMoreCome || isNew) || Task.isCancelled { return offered }
    }
  }

  private func noteArrival() {
    let now = clock.now()
    lastArrival.withLock { $0 = Arrival(time: max($0.time, now), number: $0.number + 1) }
  }
}

/// A clock without its type: generic code looks types up at each step, and is much larger.
struct DebounceClock: Sendable {
  /// The time since it was made.
  let now: @Sendable () -> Duration
  /// Returns at that time, or when the task is cancelled.
  let sleep: @Sendable (_ until: Duration) async -> Void

  init(_ clock: some Clock<Duration>) {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    sleep = { try? await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }
}

extension Waiter {
  /// How many elements have come that were not taken, those that were dropped included.
  fileprivate var offeredCount: Int { pendingCount + droppedCount }
}
