import Synchronization

/// Where an asker waits for the first reply to its request. Both hold it, so neither keeps the other.
///
/// The asker is resumed after the lock was released: `give` also runs under the lock of the asker's task, when
/// that is cancelled, and resuming takes that lock, too.
final class RequestAnswer<Reply: Sendable>: Sendable {
  private enum State {
    case open
    case waiting(CheckedContinuation<Reply?, Never>)
    /// What the asker finds if it waits later: the reply, or nil if there is none or it had it already.
    case over(Reply?)
  }

  private let state = Locked(State.open)

  /// Whether the asker has what it will get, or was cancelled.
  var isOver: Bool {
    state.withLock { if case .over = $0 { true } else { false } }
  }

  /// Waits until there is a reply, there will be none, or the task is cancelled. Called once.
  func wait() async -> Reply? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { asker in
        let given = state.withLock { state -> Reply?? in
          guard case .over(let reply) = state else {
            state = .waiting(asker)
            return nil
          }
          state = .over(nil)
          return .some(reply)
        }
        if let given { asker.resume(returning: given) }
      }
    } onCancel: {
      give(nil)
    }
  }

  /// Only the first call has an effect: a reply, or nil if there will be none or the asker was cancelled.
  func give(_ reply: Reply?) {
    let asker = state.withLock { state -> CheckedContinuation<Reply?, Never>? in
      switch state {
      case .open: state = .over(reply)
      case .waiting(let asker):
        state = .over(nil)
        return asker
      case .over: break
      }
      return nil
    }
    asker?.resume(returning: reply)
  }
}
