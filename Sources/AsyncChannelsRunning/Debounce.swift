import AsyncChannels
import Synchronization

/// How long an input must stay quiet before work on its newest element begins: `debounce: .milliseconds(300)`.
///
/// The element may decide: `debounce: .by { $0.isEmpty ? .zero : .milliseconds(300) }`. The newest one counts.
public struct Debounce<Element>: Sendable {
  /// Nil if each element has its own.
  let fixed: Duration?
  let quiet: @Sendable (Element) -> Duration
  private(set) var latest: Duration?

  /// The same pause for all elements. Traps if it is negative.
  public init(_ quiet: Duration) {
    requirePositive(quiet, orZero: true, "A debounce of \(Element.self) cannot last")
    (fixed, self.quiet) = (quiet, { _ in quiet })
  }

  private init(by quiet: @escaping @Sendable (Element) -> Duration) {
    (fixed, self.quiet) = (
      nil,
      { element in
        let quiet = quiet(element)
        requirePositive(quiet, orZero: true, "A debounce of \(Element.self) cannot last")
        return quiet
      }
    )
  }

  /// So many seconds.
  public static func seconds(_ seconds: Double) -> Self { Self(.seconds(seconds)) }

  /// So many milliseconds.
  public static func milliseconds(_ milliseconds: Double) -> Self {
    Self(.milliseconds(milliseconds))
  }

  /// What the newest element says. An element that a derivation filters out lets the pause begin anew, with the
  /// duration of the element before.
  ///
  /// - Parameter quiet: Called once or more for an element that arrives, on any thread. Traps if it returns a negative
  ///   duration.
  public static func by(_ quiet: @escaping @Sendable (Element) -> Duration) -> Self {
    Self(by: quiet)
  }

  /// The same, but work begins no later than so long after the pause has begun, even if elements continue to arrive. Use
  /// it to save a text that is edited for minutes. Traps if the duration is not positive.
  public func atLatest(after latest: Duration) -> Self {
    requirePositive(latest, "A debounce of \(Element.self) cannot end at the latest after")
    var bounded = self
    bounded.latest = latest
    return bounded
  }
}

/// Begins work at most so often. It counts from when work began last, in one call of `answer`.
final class Throttle: Sendable {
  private let interval: Duration
  private let clock: DebounceClock
  private let last = Locked<Duration?>(nil)

  init(_ interval: Duration, _ clock: DebounceClock) {
    (self.interval, self.clock) = (interval.countable, clock)
  }

  /// Nil if work may begin immediately.
  var earliest: Duration? { last.withLock { $0 }.map { $0 + interval } }

  func noteBeginning() { last.withLock { $0 = clock.now() } }
}

/// When work may begin on what has come.
struct Pause: Sendable {
  /// Whether it has to be quiet.
  let debounces: Bool
  let throttle: Throttle?
  /// Waits until work may begin. Returns how many elements had come by then, those that were dropped included:
  /// elements that come after it was decided are not meant. `quiet` tells how long it has to be quiet after what
  /// has come last, or nil if that is not known.
  var wait:
    @Sendable (_ watching: Waiter, _ quiet: @escaping @Sendable () -> Duration?) async -> Int

  init(
    debounces: Bool, atLatestAfter latest: Duration?, _ throttle: Throttle?, on clock: DebounceClock
  ) {
    (self.debounces, self.throttle) = (debounces, throttle)
    wait = { waiter, quiet in
      await DebounceTimer(
        of: quiet, debounces: debounces, atLatestAfter: latest, notBefore: throttle?.earliest,
        on: clock, watching: waiter
      ).wait()
    }
  }
}

/// A pause that begins anew with each arrival.
///
/// A timer that slept anew for each arrival would be cancelled and started at each key stroke. So
/// arrivals only note their time, and the timer, when it ends, sleeps for what is left.
final class DebounceTimer: Sendable {
  private let waiter: Waiter
  private let quiet: @Sendable () -> Duration?
  private let debounces: Bool
  private let clock: DebounceClock
  /// It ends no later, and no sooner.
  private let (latest, earliest): (Duration?, Duration)
  /// They note arrivals as they come.
  private let watchers: [ArrivalWatcher]
  /// They tell the timer of arrivals that are not noted yet.
  private let timers: [Waiter]
  private let last: Locked<(arrival: Arrival, timerEnd: Duration)>

  /// Two may come at the same time, of a clock that stands still.
  private struct Arrival: Equatable {
    var time: Duration
    var quiet: Duration
    var number = 0

    var end: Duration { time + quiet }
  }

  private enum Outcome {
    /// After so many elements had come.
    case quiet(Int)
    /// No more can come.
    case ended
    /// What has come lets the pause end before the timer wakes.
    case isShorter
  }

  init(
    of quiet: @escaping @Sendable () -> Duration?, debounces: Bool, atLatestAfter latest: Duration?,
    notBefore earliest: Duration?, on clock: DebounceClock, watching waiter: Waiter
  ) {
    self.waiter = waiter
    self.quiet = quiet
    self.debounces = debounces
    self.clock = clock
    watchers = waiter.makeWatchers()
    timers = waiter.makeWatchers()
    let now = clock.now()
    self.latest = latest.map { now + $0.countable }
    self.earliest = earliest ?? now
    let arrival = Arrival(time: now, quiet: quiet()?.countable ?? .zero)
    last = Locked((arrival, arrival.end))
  }

  func wait() async -> Int {
    if watchers.isEmpty { return waiter.offeredCount }
    while true { if let offered = await waitOnce() { return offered } }
  }

  /// Nil if the timer has to sleep anew.
  private func waitOnce() async -> Int? {
    var openWatchers = watchers.count
    return await withTaskGroup(of: Outcome.self) { group in
      group.addTask { await self.untilQuiet() }
      for watcher in watchers { group.addTask { await self.noteArrivals(of: watcher) } }
      defer { group.cancelAll() }
      for await outcome in group {
        switch outcome {
        case .quiet(let offered): return offered
        case .isShorter: return nil
        case .ended: openWatchers -= 1
        }
        if openWatchers == 0 { break }
      }
      return waiter.offeredCount
    }
  }

  private func noteArrivals(of watcher: Waiter) async -> Outcome {
    let epoch = watcher.makeEpoch()
    while await watcher.waitForElement(as: epoch, isolation: nil) {
      if noteArrival() { return .isShorter }
    }
    return .ended
  }

  private func untilQuiet() async -> Outcome {
    let epochs = timers.map { $0.makeEpoch() }
    while true {
      let arrival = last.withLock { last in
        last.timerEnd = last.arrival.end
        return last.arrival
      }
      let isBounded = latest.map { $0 <= arrival.end } == true
      await clock.sleep(max(isBounded ? latest! : arrival.end, earliest))
      // Counted before the result: if that finds nothing new, all of these have been quiet.
      let offered = waiter.offeredCount
      let hasMoreCome = zip(timers, epochs).count { $0.poll(as: $1) == .readable } > 0
      let isNew = last.withLock { $0.arrival } != arrival
      if Task.isCancelled || !debounces || isBounded { return .quiet(offered) }
      // What has come and is not noted yet has come just now.
      if hasMoreCome, !isNew || watchers.contains(where: \.hasMore) { noteArrival() }
      if !(hasMoreCome || isNew) { return .quiet(offered) }
    }
  }

  /// Returns whether the timer sleeps for too long now.
  @discardableResult
  private func noteArrival() -> Bool {
    let (now, quiet) = (clock.now(), quiet()?.countable)
    return last.withLock { last in
      let old = last.arrival
      last.arrival = Arrival(
        time: max(old.time, now), quiet: quiet ?? old.quiet, number: old.number + 1)
      return last.arrival.end < last.timerEnd
    }
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
