import CPostgres
import Foundation
import Synchronization

/// Connects to PostgreSQL on a thread of its own. The caller may stop waiting at any time: then the thread, which has the
/// last reference to this, closes what it has connected.
final class PostgresAttempt: Sendable {
  /// The connection, until it is taken: a number, since a pointer must not be shared by threads.
  private let made = Mutex<UInt>(0)
  private let hasEnded = DispatchSemaphore(value: 0)

  init(_ address: PostgresAddress) {
    Thread.detachNewThread { [self] in
      let connection = UInt(bitPattern: address.connect())
      made.withLock { $0 = connection }
      hasEnded.signal()
    }
  }

  /// Waits for the connection, which may have failed, or until the task is cancelled. Called once.
  func connection() throws -> OpaquePointer? {
    repeat { try Task.checkCancellation() } while hasEnded.wait(timeout: .now() + 0.1) != .success
    let connection = made.withLock { made in
      defer { made = 0 }
      return made
    }
    return OpaquePointer(bitPattern: connection)
  }

  deinit {
    PQfinish(OpaquePointer(bitPattern: made.withLock { $0 }))
  }
}
