import Observation

/// What Observation is told of a value's accesses and changes.
///
/// Not generic, and apart from the value: a key path into a generic class, and its conformance, are
/// looked up anew at each use.
final class ObservedValue: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  /// Stands for the value. Each object has a registrar of its own, so that one key path serves all.
  private var value: Void { () }

  func access() {
    registrar.access(self, keyPath: \.value)
  }

  /// Says that the value has changed. Calls observers: no lock may be held.
  ///
  /// "Will set" is told together with "did set", after the store. An observer that reads when it is
  /// told, as `Observations` may on another thread, would otherwise find the old value, and not be
  /// told again.
  func noteChange() {
    registrar.withMutation(of: self, keyPath: \.value) {}
  }
}
