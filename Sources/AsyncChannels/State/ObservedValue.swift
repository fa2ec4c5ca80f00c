public import Synchronization

/// Tells Observation, and followers, of accesses and changes of one thing that is read: a value, or a
/// binding.
///
/// Not generic, and apart from the value: a key path into a generic class, and that class's
/// conformance, are looked up anew at each use.
@usableFromInline
final class ObservedValue: Sendable {
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

  /// Made when it is read first.
  private let observers = AtomicLazyReference<ObserversOnMainActor>()
  private let followers = Locked([Follower]())

  /// Called on the writer's thread, after the store and before observers are told, with no log's lock
  /// held.
  private typealias Follower = (id: ObjectIdentifier, tell: @Sendable () -> Void)

  /// That of a state whose value this is; nil if it is a binding's.
  let log: BroadcastLogBase?

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
    observers.load()?.noteAccess()
  }

  private func beginReading() {
    _ = observers.storeIfNil(ObserversOnMainActor())
    uses.bitwiseOr(Self.read, ordering: .relaxed)
    log?.state.withLock { _ in }
    uses.bitwiseOr(Self.isReadKnown, ordering: .releasing)
  }

  /// To be called after the value has changed. Calls followers, and observers: no lock may be held.
  @inlinable
  func tellOfChange() {
    if uses.load(ordering: .relaxed) != 0 { tellAll() }
  }

  @usableFromInline
  func tellAll() {
    let uses = uses.load(ordering: .relaxed)
    if uses & Self.followed != 0 {
      for follower in followers.withLock({ $0 }) { follower.tell() }
    }
    if uses & Self.read != 0 { observers.load()?.tell() }
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
