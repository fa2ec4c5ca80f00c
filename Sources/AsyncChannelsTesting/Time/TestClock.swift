import AsyncChannels
import Synchronization

/// A clock that stands still until a test moves it.
///
/// Give it to code under test in place of a real clock. ``withTestTime(orders:stepLimit:fileID:line:_:)`` makes one for its
/// closure, `time.clock`. You can also use it alone, in a test that controls its tasks in another way:
///
/// ```swift
/// let clock = TestClock()
/// let alarm = Task { try await clock.sleep(for: .seconds(1)) }
/// // … once the task sleeps …
/// clock.advance(by: .seconds(1))
/// try await alarm.value
/// ```
///
/// Tasks wake in the order of their deadlines, and those of one deadline in the order in which they fell
/// asleep. While a task is resumed, ``now`` is its deadline. A sleep whose task is cancelled ends
/// immediately, with a `CancellationError`. A sleep until now, or until an earlier instant, does not suspend.
/// The tolerance of a sleep is ignored. Moving the clock only resumes the tasks: ``TestTime/advance(by:)``
/// also waits until they have nothing left to do.
///
/// Falling asleep, waking and a cancelled sleep cost O(log n) among n sleeping tasks.
public final class TestClock: Clock, Identifiable {
  /// A time on a ``TestClock``.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// How long after the clock's beginning it is.
    public let sinceBeginning: Duration

    /// Makes an instant, for example to compare ``TestClock/now`` with.
    ///
    /// - Parameter sinceBeginning: How long after the clock's beginning it is.
    public init(sinceBeginning: Duration = .zero) {
      self.sinceBeginning = sinceBeginning
    }

    /// The instant that is later by this duration.
    public func advanced(by duration: Duration) -> Instant {
      Instant(sinceBeginning: sinceBeginning + duration)
    }

    /// How long it is until another instant.
    public func duration(to other: Instant) -> Duration {
      other.sinceBeginning - sinceBeginning
    }

    /// Whether one instant is earlier than another.
    public static func < (lhs: Instant, rhs: Instant) -> Bool {
      lhs.sinceBeginning < rhs.sinceBeginning
    }

    /// The time since the clock's beginning.
    public var description: String { "\(sinceBeginning)" }
  }

  private typealias Sleeper = UnsafeContinuation<Void, any Error>

  private struct State {
    var now = Instant() {
      didSet { if now != oldValue { moves += 1 } }
    }
    /// How often it was moved.
    var moves = 0
    var sleepers = Sleepers<Sleeper, Instant>()
    /// Those that were cancelled before they fell asleep.
    var cancelled: Set<Int> = []
    var lastNumber = 0
  }

  private let state = Locked(State())

  /// Makes a clock at its beginning.
  public init() {}

  /// The present time, which only a test changes.
  public var now: Instant { state.withLock { $0.now } }

  /// How often it was moved.
  var moves: Int { state.withLock { $0.moves } }

  /// The clock can measure any duration.
  public var minimumResolution: Duration { .zero }

  /// How many tasks sleep.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The earliest deadline of the sleeping tasks; nil if no task sleeps.
  public var nextDeadline: Instant? { state.withLock { $0.sleepers.nextDeadline } }

  /// How long each of those who sleep still sleeps, the shortest first.
  package var rests: [Duration] {
    state.withLock { state in state.sleepers.deadlines.map { state.now.duration(to: $0) } }
  }

  /// Sleeps until the test has moved the clock to the deadline.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        fallAsleep(number, until: deadline, continuation)
      }
    } onCancel: {
      cancel(number)
    }
    // It may have been cancelled after it had woken.
    state.withLock { _ = $0.cancelled.remove(number) }
  }

  /// Moves the clock by a duration, and resumes the tasks whose deadlines it reaches. Traps if the duration
  /// is negative.
  public func advance(by duration: Duration) {
    advance(to: now.advanced(by: duration))
  }

  /// Moves the clock to an instant, and resumes the tasks whose deadlines it reaches. Traps if the instant is
  /// in the past.
  public func advance(to instant: Instant) {
    checkIsAhead(instant)
    while let next = nextDeadline, next <= instant { wakeNext() }
    state.withLock { $0.now = max($0.now, instant) }
  }

  func checkIsAhead(_ instant: Instant) {
    let now = now
    guard instant < now else { return }
    Misuse.trap(
      "A test cannot move its clock back, from \(now) to \(instant) after its beginning.")
  }

  /// Moves the clock to the next deadline, and resumes the tasks that sleep until then.
  func wakeNext() {
    let woken = state.withLock { state -> [Sleeper] in
      guard let deadline = state.sleepers.nextDeadline else { return [] }
      state.now = max(state.now, deadline)
      return state.sleepers.popAll(until: deadline)
    }
    // Resuming runs code of an executor, so not with the lock.
    for sleeper in woken { sleeper.resume() }
  }

  private func fallAsleep(_ number: Int, until deadline: Instant, _ sleeper: Sleeper) {
    let result = state.withLock { state -> Result<Void, any Error>? in
      if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
      if deadline <= state.now { return .success(()) }
      state.sleepers.insert(sleeper, number, until: deadline)
      return nil
    }
    if let result { sleeper.resume(with: result) }
  }

  /// May be called twice for one cancellation, and before the sleep: the number is remembered until then.
  private func cancel(_ number: Int) {
    let sleeper = state.withLock { state -> Sleeper? in
      let sleeper = state.sleepers.remove(number)
      if sleeper == nil { state.cancelled.insert(number) }
      return sleeper
    }
    sleeper?.resume(throwing: CancellationError())
  }
}
