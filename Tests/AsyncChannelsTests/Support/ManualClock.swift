import AsyncChannels
import Synchronization
import TestSupport

/// A clock whose time goes on when a test says so.
final class ManualClock: Clock {
  typealias Instant = JumpingClock.Instant

  private struct State {
    var now = Instant()
    var lastID = 0
    var sleepers: [Int: (deadline: Instant, wake: CheckedContinuation<Bool, Never>)] = [:]
    /// Those that were cancelled before they slept.
    var cancelled: Set<Int> = []
  }

  private let state = Locked(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.wake)
    }
    for wake in due { wake.resume(returning: true) }
  }

  func untilSleeping(_ count: Int) async throws {
    try await until("\(count) sleep") { self.state.withLock { $0.sleepers.count == count } }
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let result: Bool? = state.withLock { state in
          if state.cancelled.remove(id) != nil { return false }
          if deadline <= state.now { return true }
          state.sleepers[id] = (deadline, continuation)
          return nil
        }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: id)
        if sleeper == nil { state.cancelled.insert(id) }
        return sleeper
      }
      sleeper?.wake.resume(returning: false)
    }
    if !isOver { throw CancellationError() }
  }
}
