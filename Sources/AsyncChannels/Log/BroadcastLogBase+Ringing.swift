import Synchronization

/// Ringing sleepers: by the sender that has taken them, and by the actor, what the sender leaves.
extension BroadcastLogBase {
  @inlinable
  final func perform(_ wake: Wake) {
    if case .nobody = wake { return }
    ring(wake)
  }

  @usableFromInline
  final func ring(_ wake: Wake) {
    switch wake {
    case .nobody: break
    case .few(let first): first.ringAll()
    case .crowd(let first):
      first.ringAll()
      startRinger()
    }
  }

  /// A send is synchronous, and a call of an actor is not: hence a task. It is detached, since the readers
  /// must not inherit anything of the sender's task. Its priority is the sender's, since a thread of that
  /// priority is awake, but at least medium: the readers may be more urgent than the sender.
  private final func startRinger() {
    let ringer = state.withLock { $0.ringer }
    Task.detached(priority: max(Task.currentPriority, .medium)) {
      await ringer.ring { self.state.withLock { $0.takeDue() } }
    }
  }
}
