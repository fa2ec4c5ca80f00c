import Synchronization

/// Calls a function on the main actor after changes of something, once for all that come before its turn.
///
/// It subscribes to nothing: a writer puts it in the line of the main actor if it does not stand there. No change
/// is missed: a writer that finds it in line comes before the exchange with which its turn begins (release,
/// acquire), and the function reads after that. When it has ended, it stands in line once more, to let go of the
/// function there: the function may have caught what belongs to the main actor.
final class ChangeObserver: QueuedListener {
  private let observed: ObservedValue
  /// Nil when it is over.
  private var body: (@MainActor () -> Void)?
  /// Relaxed: who ends it on the main actor is not there at the same time as its turn.
  private nonisolated let hasEnded = Atomic(false)

  init(of observed: ObservedValue, calling body: @escaping @MainActor () -> Void) {
    (self.observed, self.body) = (observed, body)
    super.init()
    observed.addFollower(ObjectIdentifier(self)) { [weak self] in self?.enqueue() }
  }

  /// From any thread.
  nonisolated func end() {
    if hasEnded.exchange(true, ordering: .relaxed) { return }
    observed.removeFollower(ObjectIdentifier(self))
    enqueue()
  }

  override func serve(_ budget: inout LoopBudget) -> Bool {
    if hasEnded.load(ordering: .relaxed) { body = nil } else { body?() }
    _ = budget.isUsedUp()
    return false
  }
}
