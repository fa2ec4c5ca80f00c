import AsyncChannels
import AsyncChannelsTesting
import Proof

/// A task that waits until an outlet's subscribers have settled.
final class Settler: Sendable {
  let number: Int
  private let executor = SteppedExecutor()
  private let result: Monitor<Bool?>
  private let task: Task<Void, Never>

  /// Waits when this returns, or has returned.
  init<Element: Sendable>(_ number: Int, of outlet: Outlet<Element>) {
    let result = Monitor<Bool?>(nil)
    self.number = number
    self.result = result
    task = Task(executorPreference: executor) {
      let hasSettled = await outlet.waitUntilSettled()
      result.withLock { $0 = hasSettled }
    }
    _ = executor.run(atMost: 0) { true }
  }

  var observation: Observation.Settling {
    Observation.Settling(number: number, result: result.withLock { $0 })
  }

  func cancel() {
    task.cancel()
  }

  /// Runs until it has returned if that is expected, which a ring may tell it late; else as far as it can.
  func run(atMost seconds: Double, until expected: Observation.Settling) {
    if observation.result != nil { return }
    _ = executor.run(atMost: expected.result == nil ? 0 : seconds) {
      expected.result == nil || observation.result != nil
    }
  }
}
