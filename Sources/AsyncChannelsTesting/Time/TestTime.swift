import AsyncChannels

/// The time of a test, which stands still until the test moves it. See
/// ``withTestTime(orders:stepLimit:fileID:line:_:)``.
///
/// Call its methods in any isolation, but only while the closure that received it runs.
public struct TestTime: Sendable {
  let jobs: TestJobs

  /// The seed of this run's order; nil if jobs run in the order in which they become ready.
  ///
  /// A failure names the seed. While its shortest order is looked for, this is nil.
  public var seed: UInt64? {
    if case .random(let seed) = jobs.order { seed } else { nil }
  }

  /// That of the code that runs now; nil outside of the closure of ``withTestTime(orders:stepLimit:fileID:line:_:)``, and of
  /// what it started.
  static var current: TestTime? { TestJobs.current.map(TestTime.init) }

  /// The clock for the code under test: it shows this time.
  public var clock: TestClock { jobs.clock }

  /// Returns when no task of the closure has anything left to do but wait for the test.
  ///
  /// Then each task of the closure has ended, or waits for an element, for the ``clock``, for work that the
  /// test holds back, or for something that no test owns: a thread, a `URLSession`, a process, an actor with
  /// an executor of its own, another clock. `idle()` does not wait for those.
  public func idle() async {
    await jobs.idle()
  }

  /// Moves the time by a duration, from deadline to deadline. Before each step it waits until no task has
  /// anything left to do. Traps if the duration is negative.
  ///
  /// When this returns, tasks that slept until the end of the duration have woken and done their work.
  public func advance(by duration: Duration) async {
    // Counted from here: what is still to do takes no time.
    await advance(to: clock.now.advanced(by: duration))
  }

  /// Moves the time to an instant, as ``advance(by:)`` does. Traps if the instant is in the past.
  public func advance(to instant: TestClock.Instant) async {
    clock.checkIsAhead(instant)
    await idle()
    while let next = clock.nextDeadline, next <= instant {
      clock.wakeNext()
      await idle()
    }
    if clock.now < instant { clock.advance(to: instant) }
  }

  /// Moves the time, from deadline to deadline, until no task sleeps.
  ///
  /// The test fails if a task still sleeps after 100,000 deadlines, or ten times the `stepLimit` of the test. For a
  /// repeating timer, use ``advance(by:)``.
  public func run() async {
    let limit = 10 * jobs.watch.limit
    await idle()
    for _ in 0..<limit {
      if clock.nextDeadline == nil { return }
      clock.wakeNext()
      await idle()
    }
    jobs.note(
      """
      TestTime.run() gave up at \(clock.now): after \(limit) deadlines a task still slept. For a repeating timer, \
      use advance(by:).
      """)
  }
}
