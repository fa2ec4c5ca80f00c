import Synchronization

/// Calls a function on the main actor after changes of some states, once for all that come before its turn.
///
/// It subscribes to nothing: a writer puts it in the line of the main actor if it does not stand there. No change
/// is missed: a writer that finds it in line comes before the exchange with which its turn begins (release,
/// acquire), and the function reads after that.
final class ChangeObserver: Served {
  private let states: [ObservedValue]
  private let body: @MainActor () -> Void
  private let line = Line.replacement(for: nil) ?? Line.main
  private let isInLine = Atomic(false)
  /// Relaxed: who ends it on the main actor is not there at the same time as its turn.
  private let hasEnded = Atomic(false)

  nonisolated init(of states: [ObservedValue], calling body: @escaping @MainActor () -> Void) {
    (self.states, self.body) = (states, body)
  }

  nonisolated func begin() {
    let follower = StateFollower(id: ObjectIdentifier(self)) { [weak self] in self?.standInLine() }
    for state in states { state.add(follower) }
  }

  nonisolated func end() {
    hasEnded.store(true, ordering: .relaxed)
    for state in states { state.remove(ObjectIdentifier(self)) }
  }

  nonisolated func standInLine() {
    if !isInLine.exchange(true, ordering: .acquiringAndReleasing) { line.add(self) }
  }

  func serve(_ spell: inout Spell) -> Bool {
    _ = isInLine.exchange(false, ordering: .acquiringAndReleasing)
    if !hasEnded.load(ordering: .relaxed) { body() }
    _ = spell.isUsedUp()
    return false
  }
}
