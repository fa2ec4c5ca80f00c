public import AsyncChannels

/// Tells how many exercises were done. Whoever has one can listen, and can do nothing else.
public protocol ExerciseExecutionCountNotifying: Sendable {
  /// How many there were so far.
  var count: StateOutlet<Int> { get }
}
