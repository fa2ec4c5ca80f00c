import Observation
import Synchronization

/// Tells Observation that a value is read and that it has changed. It does not keep the value alive.
///
/// **Why on the main actor.** Observation notes an access when a value is read, and installs the
/// observer when the tracking closure has returned. An observer that is told before that keeps the old
/// value. One that is told while it is being installed stays installed, and is called after each
/// change, for ever. One that has read two values, which two threads tell of at the same time, is
/// called twice.
///
/// So observers are told on the main actor only: immediately by a writer on the main thread, and by a
/// job after a write from another thread. A tracking closure there is synchronous, so its observer is
/// told when it is installed, and by one telling after the other, whatever values it has read.
///
/// Nor does it keep an old value. A write from another thread has stored its value when it enqueues the
/// job or finds it enqueued, and the job begins to tell after it has taken note of that (release,
/// acquire). So a closure that begins after the job has begun reads that value, and the observer of one
/// that began before is installed when the job tells.
///
/// (Where `main` ends in `dispatch_main`, as on Linux without Foundation, the main actor runs on other
/// threads than the main thread, which runs nothing any more. Then jobs tell all.)
final class ObserversOnMainActor: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  /// Whether the job will tell, and has not begun to.
  private let isJobEnqueued = Atomic(false)
  /// How often observers were to be told since somebody began to tell them; zero while nobody does.
  /// Relaxed: only the main actor tells.
  private let tellings = Atomic(0)

  // Each object has a registrar of its own, so the same path serves all objects.
  private var value: Void { () }
  private static let path: any KeyPath<ObserversOnMainActor, Void> & Sendable = \.value
  /// The same, where a read finds it in one step.
  private let path = path

  func noteAccess() { registrar.access(self, keyPath: path) }

  func tell() {
    if CurrentThread.isMain { tellNow() } else { tellInJob() }
  }

  /// "Will set" is told together with "did set", after the store: an observer that reads as soon as it
  /// is told would otherwise find the old value, and not be told again.
  ///
  /// An observer that writes comes here while it is being told, and is still installed. So a job tells.
  private func tellNow() {
    if tellings.add(1, ordering: .relaxed).oldValue > 0 { return }
    registrar.willSet(self, keyPath: path)
    registrar.didSet(self, keyPath: path)
    if tellings.exchange(0, ordering: .relaxed) > 1 { tellInJob() }
  }

  /// Detached, so that the job inherits nothing of the writer's task, and keeps nothing of it
  /// alive. It keeps this object alive, but not the value. Its priority is the main thread's.
  private func tellInJob() {
    if isJobEnqueued.exchange(true, ordering: .acquiringAndReleasing) { return }
    Task.detached(priority: .high) { @MainActor [self] in
      _ = isJobEnqueued.exchange(false, ordering: .acquiringAndReleasing)
      tellNow()
    }
  }
}
