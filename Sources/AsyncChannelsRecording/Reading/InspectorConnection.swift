import AsyncChannels
import Synchronization

/// A connection to an inspector, which comes back when that was restarted.
///
/// All but `close` is called on the queue of its reader, one after the other.
final class InspectorConnection: Sendable {
  private let address: String
  private let head: String
  private let socket = Locked<Int32?>(nil)

  init(to address: String, head: String) {
    (self.address, self.head) = (address, head)
  }

  deinit { forget() }

  /// Returns whether there is a new connection, which has been told nothing yet.
  func hasConnected() -> Bool {
    if let known = socket.withLock({ $0 }) {
      guard System.hasEnded(known) else { return false }
      forget()
    }
    guard let new = System.connection(to: address) else { return false }
    socket.withLock { $0 = new }
    return send(head)
  }

  func write(_ text: () -> String) {
    if socket.withLock({ $0 }) != nil { _ = send(text()) }
  }

  private func send(_ text: String) -> Bool {
    guard let known = socket.withLock({ $0 }) else { return false }
    if System.sendText(text, to: known) { return true }
    forget()
    return false
  }

  /// Ends a call that waits for an inspector that does not read.
  func close() {
    socket.withLock { if let known = $0 { System.disconnect(known) } }
  }

  private func forget() {
    let known = socket.withLock { socket in
      defer { socket = nil }
      return socket
    }
    if let known { System.closeDescriptor(known) }
  }
}
