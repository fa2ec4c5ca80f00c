import Synchronization

/// Where an asker waits for the first reply to its request. Both hold it, so neither keeps the other.
///
/// States change with the lock held, and the asker is resumed after it was released: `leave` runs under a
/// lock of its task, which resuming takes, too.
final class RequestAnswer<Reply: Sendable>: Sendable {
  private enum State {
    /// The asker has not begun to wait. It may be waiting, given or left next.
    case open
    /// The asker is suspended. It is left next.
    case waiting(UnsafeContinuation<Reply?, Never>)
    /// The reply, or nil if there will be none, came before the asker waited. It is left next.
    case given(Reply?)
    /// The asker has what it will get, or was cancelled.
    case left
  }

  private let state = Locked(State.open)

  /// Whether the asker has what it will get, or was cancelled.
  var isLeft: Bool {
    state.withLock { if case .left = $0 { true } else { false } }
  }

  /// Waits until there is a reply, there will be none, or the task is cancelled. Called once.
  func wait() async -> Reply? {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { asker in
        let given: Reply?? = state.withLock { state in
          switch state {
          case .given(let reply):
            state = .left
            return reply
          case .left: return .some(nil)
          case .open, .waiting:
            state = .waiting(asker)
            return nil
          }
        }
        if let given { asker.resume(returning: given) }
      }
    } onCancel: {
      leave()
    }
  }

  /// Only the first call has an effect, and none after the asker has left.
  func give(_ reply: Reply?) {
    let asker: UnsafeContinuation<Reply?, Never>? = state.withLock { state in
      switch state {
      case .open:
        state = .given(reply)
        return nil
      case .waiting(let asker):
        state = .left
        return asker
      case .given, .left: return nil
      }
    }
    asker?.resume(returning: reply)
  }

  /// The asker's task was cancelled; it may be called twice. A reply that was given before is kept.
  private func leave() {
    let asker: UnsafeContinuation<Reply?, Never>? = state.withLock { state in
      switch state {
      case .open:
        state = .left
        return nil
      case .waiting(let asker):
        state = .left
        return asker
      case .given, .left: return nil
      }
    }
    asker?.resume(returning: nil)
  }
}
