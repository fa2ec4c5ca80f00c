import Synchronization

/// Calls a function on the main actor after changes of some states, once for all that come before its turn.
///
/// It subscribes to nothing: a writer marks that a call is due, and enqueues one job where none was. No change
/// is missed: one that finds a call due is before the exchange with which the job takes that (release, acquire),
/// and the job reads after it.
final class ChangeObserver: Sendable {
  private let states: [ObservedValue]
  private let body: @MainActor () -> Void
  private let isDue = Atomic(false)
  /// Relaxed: who ends it on the main actor is not there at the same time as the job.
  private let hasEnded = Atomic(false)

  init(of states: [ObservedValue], calling body: @escaping @MainActor () -> Void) {
    (self.states, self.body) = (states, body)
  }

  func begin() {
    let follower = StateFollower(id: ObjectIdentifier(self)) { [weak self] in self?.tell() }
    for state in states { state.add(follower) }
  }

  func end() {
    hasEnded.store(true, ordering: .relaxed)
    for state in states { state.remove(ObjectIdentifier(self)) }
  }

  /// Detached, so that the job inherits nothing of the writer's task, and keeps nothing of it alive.
  private func tell() {
    if isDue.exchange(true, ordering: .acquiringAndReleasing) { return }
    Task.detached { @MainActor [self] in
      _ = isDue.exchange(false, ordering: .acquiringAndReleasing)
      if !hasEnded.load(ordering: .relaxed) { body() }
    }
  }
}
