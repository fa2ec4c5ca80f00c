import AsyncChannels

/// The time of a test, which stands still until the test moves it. See
/// ``withTestTime(orders:fileID:line:_:)``.
///
/// Its methods may be called in any isolation, but only while the closure runs that it was given to.
public struct TestTime: Sendable {
  let jobs: TestJobs

  /// Decides the order of this run; nil in the order in which jobs become ready.
  ///
  /// A thrown failure names it. A failed `XCTAssertEqual` does not end the run, so give the seed to it as its
  /// message: `"seed \(time.seed ?? 0)"`.
  public var seed: UInt64? { jobs.seed }

  /// That of the code that runs now; nil outside of the closure of ``withTestTime(orders:fileID:line:_:)``, and of
  /// what it started.
  static var current: TestTime? { TestJobs.current.map(TestTime.init) }

  /// The clock that code under test is given: it shows this time.
  public var clock: TestClock { jobs.clock }

  /// Returns when nobody in the closure has anything left to do but wait for the test.
  ///
  /// Then each task of the closure has ended, or waits: for an element, for the ``clock``, for work that the
  /// test has not let go on, or for what no test owns: a thread, a `URLSession`, a process, an actor with an
  /// executor of its own, another clock. It does not wait for the latter.
  public func idle() async {
    await jobs.idle()
  }

  /// Lets time pass: waits until nobody has anything left to do, goes to the next deadline, and so on until the time
  /// is over. Traps if the duration is negative.
  ///
  /// What sleeps until the end of the duration has woken, and has done what it had to do, when this returns.
  public func advance(by duration: Duration) async {
    // Counted from here: what is still to do takes no time.
    await advance(to: clock.now.advanced(by: duration))
  }

  /// Lets time pass up to an instant, as ``advance(by:)`` does. Traps if it is in the past.
  public func advance(to instant: TestClock.Instant) async {
    clock.checkIsAhead(instant)
    await idle()
    while let next = clock.nextDeadline, next <= instant {
      clock.wakeNext()
      await idle()
    }
    if clock.now < instant { clock.advance(to: instant) }
  }

  /// Lets time pass until nobody sleeps.
  ///
  /// The test fails if somebody still does after 100,000 deadlines: a timer that begins anew each time has no end.
  /// Use ``advance(by:)`` for it.
  public func run() async {
    await idle()
    for _ in 0..<100_000 {
      if clock.nextDeadline == nil { return }
      clock.wakeNext()
      await idle()
    }
    jobs.note(
      """
      TestTime.run() gave up at \(clock.now): after 100,000 deadlines somebody still slept. Let the time of a \
      repeating timer pass with advance(by:).
      """)
  }
}
