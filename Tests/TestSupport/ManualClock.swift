import AsyncChannels
import Synchronization

/// A clock that stands still until a test moves it.
package final class ManualClock: Clock {
  package struct Instant: InstantProtocol {
    package var offset = Duration.zero

    package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    package func duration(to other: Instant) -> Duration { other.offset - offset }
    package static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  private struct Sleeper {
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant()
    var sleepers: [Int: Sleeper] = [:]
    /// Those that were cancelled before they slept.
    var cancelled: Set<Int> = []
    var lastNumber = 0
  }

  private let state = Locked(State())

  package init() {}

  package var now: Instant { state.withLock { $0.now } }
  package var minimumResolution: Duration { .nanoseconds(1) }

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        fallAsleep(number, Sleeper(deadline: deadline, continuation: continuation))
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: number)
        if sleeper == nil { state.cancelled.insert(number) }
        return sleeper
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  private func fallAsleep(_ number: Int, _ sleeper: Sleeper) {
    let result: Result<Void, any Error>? = state.withLock { state in
      if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
      if sleeper.deadline <= state.now { return .success(()) }
      state.sleepers[number] = sleeper
      return nil
    }
    if let result { sleeper.continuation.resume(with: result) }
  }

  /// Moves the time on, and wakes those whose deadline that is.
  package func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let now = state.now
      let woken = state.sleepers.filter { $0.value.deadline <= now }
      for number in woken.keys { state.sleepers[number] = nil }
      return woken.values
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  /// Waits until somebody sleeps, and everybody who does until this long after now.
  package func untilAsleep(for duration: Duration) async throws {
    try await untilAsleep(within: duration...duration)
  }

  package func untilAsleep(within durations: ClosedRange<Duration>) async throws {
    try await until("somebody sleeps for \(durations)") {
      self.state.withLock { state in
        let rests = state.sleepers.values.map { state.now.duration(to: $0.deadline) }
        return !rests.isEmpty && rests.allSatisfy(durations.contains)
      }
    }
  }

  /// Waits until somebody sleeps, and everybody who does for this long, and lets that time pass.
  package func pass(_ duration: Duration) async throws {
    try await untilAsleep(for: duration)
    advance(by: duration)
  }

  package func untilSleeping(_ count: Int) async throws {
    try await until("\(count) sleep") { self.state.withLock { $0.sleepers.count == count } }
  }

  package var isAnybodyAsleep: Bool { state.withLock { !$0.sleepers.isEmpty } }
}
