#if PostgreSQL
  import CPostgres
  import Foundation
  import Synchronization

  /// Connects to PostgreSQL on a thread of its own. Who waits for it may give up at any time: what is connected
  /// later is closed by that thread, which then has the last reference to this.
  final class PostgresAttempt: Sendable {
    /// The connection, until it is taken: a number, since a pointer must not be shared by threads.
    private let connection = Mutex<UInt>(0)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ address: PostgresAddress) {
      Thread.detachNewThread { [self] in
        let made = UInt(bitPattern: address.connect())
        connection.withLock { $0 = made }
        hasEnded.signal()
      }
    }

    /// The connection, which may have failed, or nil if it is not known within a tenth of a second.
    func take() -> OpaquePointer? {
      guard hasEnded.wait(timeout: .now() + 0.1) == .success else { return nil }
      let taken = connection.withLock { connection in
        defer { connection = 0 }
        return connection
      }
      return OpaquePointer(bitPattern: taken)
    }

    deinit {
      PQfinish(OpaquePointer(bitPattern: connection.withLock { $0 }))
    }
  }
#endif
