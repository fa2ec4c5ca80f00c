import AsyncChannels

/// How `answer` repeats work that has thrown an error.
///
/// ```swift
/// await $draft.answer(
///   .latestOnly, retry: .exponential(from: .milliseconds(500), upTo: .seconds(30), attempts: 5), by: save
/// ) { draft, result in … }
/// ```
public struct Retry: Sendable {
  private let (first, longest): (Duration, Duration)
  private let attempts: Int?
  private let jitter: Double

  /// The work is called again after a pause, which doubles with each failure in a row.
  ///
  /// Without `attempts`, one that lasted longer than `longest` before it failed begins a new row: a connection that was
  /// lost after an hour is made again after the first pause.
  ///
  /// - Parameters:
  ///   - first: The first pause. Traps if it is not positive.
  ///   - longest: No pause is longer. Traps if it is shorter than the first.
  ///   - attempts: The number of calls, the first one too, however long they last. The failure of the last is the
  ///     answer. Without it, there is no last. Traps if it is less than 1.
  ///   - jitter: The part of each pause, from 0 to 1, that is left to chance, so that many clients do not come at the same
  ///     time: with 0.5, a pause of 2 seconds lasts from 1 to 2, but 2 in `withTestTime`. Traps if it is out of these
  ///     bounds.
  public static func exponential(
    from first: Duration, upTo longest: Duration, attempts: Int? = nil, jitter: Double = 0
  ) -> Retry {
    requirePositive(first, "A retry cannot pause for")
    if longest < first { Misuse.trap("A retry's pauses cannot go from \(first) to \(longest).") }
    if let attempts, attempts < 1 { Misuse.trap("A retry cannot make \(attempts) attempts.") }
    if !(0...1).contains(jitter) { Misuse.trap("A retry's jitter is not from 0 to 1: \(jitter).") }
    return Retry(
      first: first.countable, longest: longest.countable, attempts: attempts, jitter: jitter)
  }

  /// How long to wait after so many failures in a row; nil if that was the last attempt.
  func pause(after failures: Int) -> Duration? {
    if failures == attempts { return nil }
    var pause = first
    var doublings = failures - 1
    while pause < longest, doublings > 0 {
      pause = min(pause * 2, longest)
      doublings -= 1
    }
    // The runs of a test have the same pauses.
    if jitter == 0 || CurrentThread.isInTestTime { return pause }
    return pause * Double.random(in: (1 - jitter)...1)
  }

  /// Calls work until it succeeds, the attempts are used up, or the task is cancelled.
  func result<Value, Failure>(
    on clock: DebounceClock, of work: () async throws(Failure) -> Value
  ) async -> Result<Value, Failure> {
    var failures = 0
    while true {
      let begun = clock.now()
      let result = await Result(catching: work)
      guard case .failure = result, !Task.isCancelled else { return result }
      let isNewRow = attempts == nil && clock.now() - begun > longest
      failures = isNewRow ? 1 : failures + 1
      guard let pause = pause(after: failures) else { return result }
      await clock.sleep(clock.now() + pause)
      if Task.isCancelled { return result }
    }
  }
}

extension Result {
  /// As the standard library's form, of a function that suspends.
  @inline(__always)
  init(catching body: () async throws(Failure) -> Success) async {
    do throws(Failure) {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }

  /// The same, with other attempts if it fails.
  init(
    retrying retry: Retry?, on clock: DebounceClock,
    catching body: () async throws(Failure) -> Success
  ) async {
    if let retry {
      self = await retry.result(on: clock, of: body)
    } else {
      self = await Result(catching: body)
    }
  }
}
