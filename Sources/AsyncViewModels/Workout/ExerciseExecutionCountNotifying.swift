public import AsyncChannels

/// Tells how many exercises were done. Code that has one can read and follow the count, and nothing
/// else.
public protocol ExerciseExecutionCountNotifying: Sendable {
  /// How many there were so far.
  var count: StateOutlet<Int> { get }
}
