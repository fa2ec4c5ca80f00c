import Foundation
import Proof

/// Histories, done by some threads at once.
final class Work: Sendable {
  /// A history that went wrong.
  struct Failure: Sendable {
    let seed: UInt64
    let history: History
    let mismatch: History.Mismatch
  }

  private struct State: Sendable {
    var next = 0
    var running = 0
    var figures = Figures()
    var failure: Failure?
  }

  private let histories: Int
  private let seed: UInt64
  private let tells: Bool
  private let state = Monitor(State())

  init(histories: Int, seed: UInt64, tells: Bool) {
    self.histories = histories
    self.seed = seed
    self.tells = tells
  }

  /// The failure that was found first.
  var failure: Failure? { state.withLock { $0.failure } }

  func run(on threads: Int) -> Figures {
    state.withLock { $0.running = threads }
    for number in 0..<threads {
      Thread.detachNewThread { self.work(Activity(number)) }
    }
    return state.wait { $0.running == 0 ? $0.figures : nil }!
  }

  private func work(_ activity: Activity) {
    var figures = Figures()
    while let index = takeNext() {
      let seed = seed &+ UInt64(index)
      activity.begin(seed: seed)
      let made = Generator.history(seed: seed)
      let history = History(setup: made.setup, steps: made.steps, isTold: tells)
      if tells { complain("seed \(seed): \(made.setup)") }
      if let mismatch = history.mismatch(patience: 5, activity: activity, count: &figures) {
        fail(history, seed, mismatch, activity)
      }
    }
    activity.end()
    state.change { state in
      state.figures += figures
      state.running -= 1
    }
  }

  /// Nil when all are done, or one has gone wrong.
  private func takeNext() -> Int? {
    state.withLock { state in
      guard state.next < histories, state.failure == nil else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }

  private func fail(
    _ history: History, _ seed: UInt64, _ mismatch: History.Mismatch, _ activity: Activity
  ) {
    let isFirst = state.withLock { state in
      guard state.failure == nil else { return false }
      state.failure = Failure(seed: seed, history: history, mismatch: mismatch)
      return true
    }
    guard isFirst else { return }
    let shrunk = History(setup: history.setup, steps: history.steps).shrunk(activity: activity)
    var unused = Figures()
    // One that goes wrong only sometimes may not do so again: then the first finding stands.
    let again = shrunk.mismatch(patience: 1, activity: activity, count: &unused)
    guard let smaller = again else { return }
    state.withLock { $0.failure = Failure(seed: seed, history: shrunk, mismatch: smaller) }
  }
}
