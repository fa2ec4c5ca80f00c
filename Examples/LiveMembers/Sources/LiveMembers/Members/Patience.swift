import Foundation
import Synchronization

/// For how long a write waits while another program has locked the file: three seconds, and no longer than
/// its task wants. SQLite waits inside a call, where it does not hear of a cancelled task.
final class Patience: Sendable {
  private let isOver = Mutex(false)

  /// One write at a time. They stand in line for the file in any case.
  func whileWanted<Value: Sendable>(_ write: () async throws -> Value) async throws -> Value {
    isOver.withLock { $0 = false }
    return try await withTaskCancellationHandler {
      try await write()
    } onCancel: {
      isOver.withLock { $0 = true }
    }
  }

  /// What SQLite asks on its own thread, each time that it has found the file locked.
  @Sendable func goesOn(after tries: Int) -> Bool {
    guard tries < 300, !isOver.withLock({ $0 }) else { return false }
    Thread.sleep(forTimeInterval: 0.01)
    return true
  }
}
