import AsyncChannels
package import Foundation
import Synchronization

extension Process {
  private static let starting = Locked(())

  /// `run()`, but one after another. On Linux, a process that is started at the same time as another can inherit the
  /// file by which Foundation watches that one, which then seems to run until both have ended.
  package func start() throws {
    try Self.starting.withLock { _ in try run() }
  }

  /// Whether it ends within so many seconds. Foundation's `waitUntilExit()` looks each 50 ms on Linux, and for ever.
  package func ends(within seconds: Double) -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while isRunning {
      guard ContinuousClock.now < deadline else { return false }
      usleep(1_000)
    }
    waitUntilExit()
    return true
  }
}
