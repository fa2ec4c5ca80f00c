import Synchronization

/// Ringing sleepers: by the sender that has taken them, and by others what it leaves.
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
    case .crowd(var sleepers):
      var few = sleepers.popFirst(DueSleepers.few)
      few.ringAll()
      changeDue { [sleepers] in $0.sleepers.append(sleepers) }
    case .due: if mayRingDue { ringFew() }
    }
  }

  /// For a consumer that has woken: its thread runs, whoever else's does not.
  final func helpRinging() {
    if hasDue.load(ordering: .relaxed), mayRingDue { ringFew() }
  }

  /// Not in the background: who rings keeps others from ringing, and may be more urgent.
  private final var mayRingDue: Bool { Task.currentPriority >= .medium }

  private final func ringFew() {
    guard var few = changeDue({ $0.begin() }) else { return }
    few.ringAll()
    changeDue { $0.isBeingRung = false }
  }

  /// - Parameter change: Called with the log's lock held.
  @discardableResult
  private final func changeDue<Result>(_ change: (inout DueSleepers) -> Result) -> Result {
    let (result, ringer) = state.withLock { state in
      let result = change(&state.due)
      let ringer = state.due.mustTellActor() ? state.ringer : nil
      hasDue.store(state.due.canBeRung, ordering: .relaxed)
      return (result, ringer)
    }
    if let ringer { tell(ringer) }
    return result
  }

  /// A send is synchronous, and a call of an actor is not: hence a task. It is detached, since the readers
  /// must not inherit anything of the sender's task. Its priority is the sender's, since a thread of that
  /// priority is awake, but at least medium: the readers may be more urgent than the sender.
  private final func tell(_ ringer: Ringer) {
    Task.detached(priority: max(Task.currentPriority, .medium)) {
      await ringer.ring { hasRung in
        self.changeDue { due in
          if hasRung { due.isBeingRung = false } else { due.actorIsTold = false }
          return due.begin()
        }
      }
    }
  }
}
