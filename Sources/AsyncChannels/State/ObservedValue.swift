public import Observation
public import Synchronization

/// Tells Observation, and followers, of accesses and changes of one thing that is read: a value, or a
/// binding.
///
/// Not generic, and apart from the value: a key path into a generic class, and that class's
/// conformance, are looked up anew at each use.
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
@usableFromInline
final class ObservedValue: Observable, Sendable {
  /// That of a state whose value this is; nil if it is a binding's. Before the registrar, whose size no client knows: so it
  /// is found without asking where it is.
  let log: BroadcastLogBase?

  /// Held by writers while they change the value.
  @usableFromInline let writers = WritersLock()

  /// Whether it was read, and whether somebody follows it: most values are neither.
  ///
  /// A writer asks relaxed, after it had the log's lock. Who begins to read or to follow says so first, and takes that lock
  /// after that. If it had it before the writer, the writer sees it. Otherwise it finds what was written, though it
  /// looks at the version without the lock. So do all who find later that this is done (acquiring, releasing).
  @usableFromInline let uses = Atomic<UInt8>(0)
  private static var read: UInt8 { 1 }
  private static var followed: UInt8 { 2 }
  private static var isReadKnown: UInt8 { 4 }

  private let registrar = ObservationRegistrar()
  /// Whether the job will tell, and has not begun to.
  private let isJobEnqueued = Atomic(false)
  /// How often observers were to be told since somebody began to tell them; zero while nobody does.
  /// Relaxed: only the main actor tells.
  private let tellings = Atomic(0)
  private let followers = Locked([Follower]())

  /// Called on the writer's thread, after the store and before observers are told, with no log's lock
  /// held.
  private typealias Follower = (id: ObjectIdentifier, tell: @Sendable () -> Void)

  // Each object has a registrar of its own, so the same path serves all objects.
  private var value: Void { () }
  fileprivate static let path: any KeyPath<ObservedValue, Void> & Sendable = \.value
  /// A job names this to the registrar if nobody has the value any more.
  private static let gone = ObservedValue()
  /// The same, where a read finds it in one step.
  private let path = path

  @usableFromInline
  init(of log: BroadcastLogBase? = nil) { self.log = log }

  /// To be called before the value is read. If a closure of derived state reads it on this thread, returns the reading,
  /// which is to be told.
  @usableFromInline
  func access() -> Evaluation? {
    if let evaluation = Evaluation.current {
      evaluation.requireDependencies()
      return evaluation
    }
    noteAccess()
    return nil
  }

  /// Tells Observation that the value, or its version, is about to be read.
  func noteAccess() {
    if uses.load(ordering: .acquiring) & Self.isReadKnown == 0 { beginReading() }
    registrar.access(self, keyPath: path)
  }

  private func beginReading() {
    uses.bitwiseOr(Self.read, ordering: .relaxed)
    log?.state.withLock { _ in }
    uses.bitwiseOr(Self.isReadKnown, ordering: .releasing)
  }

  /// To be called after the value has changed. Calls followers, and observers: no lock may be held.
  @inlinable
  func tellOfChange() {
    let uses = uses.load(ordering: .relaxed)
    if uses != 0 { tellAll(uses) }
  }

  @usableFromInline
  func tellAll(_ uses: UInt8) {
    if uses & Self.followed != 0 {
      for follower in followers.withLock({ $0 }) { follower.tell() }
    }
    if uses & Self.read == 0 { return }
    if CurrentThread.isMain { tellObservers() } else { tellObserversOnMainActor() }
  }

  /// "Will set" is told together with "did set", after the store: an observer that reads as soon as it
  /// is told would otherwise find the old value, and not be told again.
  ///
  /// An observer that writes comes here while it is being told, and is still installed. So a job tells.
  private func tellObservers() {
    if tellings.add(1, ordering: .relaxed).oldValue > 0 { return }
    registrar.tell(self)
    if tellings.exchange(0, ordering: .relaxed) > 1 { tellObserversOnMainActor() }
  }

  /// Detached, so that the job inherits nothing of the writer's task, and keeps nothing of it
  /// alive. Nor does it keep the value alive: only those who were to be told. Its priority is the main thread's.
  private func tellObserversOnMainActor() {
    if isJobEnqueued.exchange(true, ordering: .acquiringAndReleasing) { return }
    Task.detached(priority: .high) { @MainActor [weak self, registrar] in
      guard let self else { return registrar.tell(Self.gone) }
      _ = isJobEnqueued.exchange(false, ordering: .acquiringAndReleasing)
      tellObservers()
    }
  }

  /// - Parameter tell: Is called after each later change, until it is removed.
  func addFollower(_ id: ObjectIdentifier, _ tell: @escaping @Sendable () -> Void) {
    followers.withLock { $0.append((id, tell)) }
    uses.bitwiseOr(Self.followed, ordering: .relaxed)
    log?.state.withLock { _ in }
  }

  func removeFollower(_ id: ObjectIdentifier) {
    // Those that are replaced are destroyed with no lock held.
    _ = followers.withLock { followers in
      let rest = followers.filter { $0.id != id }
      return exchange(&followers, with: rest)
    }
  }
}

extension ObservationRegistrar {
  fileprivate func tell(_ value: ObservedValue) {
    willSet(value, keyPath: ObservedValue.path)
    didSet(value, keyPath: ObservedValue.path)
  }
}
