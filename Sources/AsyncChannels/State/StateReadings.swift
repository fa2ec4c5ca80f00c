import Synchronization

/// A value for each root of a derivation, as far as they are known, and what was computed of them.
struct StateReadings: Sendable {
  var values: [ObjectIdentifier: AnyStateValue] = [:]
  fileprivate var computed: [ObjectIdentifier: AnyStateValue] = [:]
}

/// A change of one of the roots of a derivation, or of several in one step.
struct StateChange: Sendable {
  /// They ascend.
  let number: Int
  /// The roots; nil for the first change, with which the values of all roots are known.
  let changed: [ObjectIdentifier]?
  let readings: StateReadings
  /// The ticket of the consumer that took it.
  let ticket: UInt64

  func value<Value>(of derivation: Derivation<Value>) -> Value {
    var readings = readings
    return derivation.read(&readings)
  }
}

/// Whether a change of a root is one of a derived state.
typealias StateGate = @Sendable (StateChange) -> Bool

/// The gates of one subscription that several parts of it share.
final class StateGates {
  fileprivate var shared: [ObjectIdentifier: StateGate] = [:]
}

/// For a combination in which a state is part several times: what is to be done once, however many ways lead
/// here.
final class StateOnce: Sendable {
  /// - Parameter compute: Is called once for these readings.
  func read<Value: Sendable>(
    _ readings: inout StateReadings, _ compute: (inout StateReadings) -> Value
  ) -> Value {
    let id = ObjectIdentifier(self)
    if let known = readings.computed[id] as? StateValue<Value> { return known.value }
    let value = compute(&readings)
    readings.computed[id] = StateValue(value)
    return value
  }

  /// - Parameter make: Is called once for the subscription, and what it makes once for each change. (A consumer
  ///   that was displaced may be late, and ask for its change once more.)
  func makeGate(_ gates: StateGates, _ make: (StateGates) -> StateGate) -> StateGate {
    let id = ObjectIdentifier(self)
    if let known = gates.shared[id] { return known }
    let gate = make(gates)
    let last = Locked((number: 0, isChanged: false))
    let shared: StateGate = { change in
      let known = last.withLock { $0.number == change.number ? $0.isChanged : nil }
      if let known { return known }
      let isChanged = gate(change)
      last.withLock { if $0.number < change.number { $0 = (change.number, isChanged) } }
      return isChanged
    }
    gates.shared[id] = shared
    return shared
  }
}
