public import Observation
public import Synchronization

/// What Observation is told of a value's accesses and changes.
///
/// Not generic, and apart from the value: a key path into a generic class, and its conformance, are
/// looked up anew at each use.
@usableFromInline
final class ObservedValue: Observable, Sendable {
  /// Held by writers while they change the value.
  @usableFromInline let writers = WritersLock()
  private let registrar = ObservationRegistrar()
  /// Whether anybody has ever accessed the value: nobody can be observing it otherwise.
  @usableFromInline let wasAccessed = Atomic(false)

  /// Stands for the value. Each object has a registrar of its own, so that one key path serves all.
  private var value: Void { () }
  private static let path: any KeyPath<ObservedValue, Void> & Sendable = \.value

  /// To be called before the value is read.
  @usableFromInline
  func access() {
    if !wasAccessed.load(ordering: .relaxed) { wasAccessed.store(true, ordering: .relaxed) }
    registrar.access(self, keyPath: Self.path)
  }

  /// Says that the value has changed. Calls observers: no lock may be held.
  ///
  /// "Will set" is told together with "did set", after the store. An observer that reads when it is
  /// told, as `Observations` may on another thread, would otherwise find the old value, and not be
  /// told again.
  ///
  /// Relaxed is enough for `wasAccessed`. Values are read and stored under one lock: whoever was
  /// there first and read the old value had noted its access before that, which the writer, who has
  /// had the lock since, sees; whoever comes later reads the new one.
  @inlinable
  func noteChange() {
    if wasAccessed.load(ordering: .relaxed) { tellObservers() }
  }

  @usableFromInline
  func tellObservers() {
    registrar.willSet(self, keyPath: Self.path)
    registrar.didSet(self, keyPath: Self.path)
  }
}
