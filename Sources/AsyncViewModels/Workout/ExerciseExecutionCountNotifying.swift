public import AsyncChannels

/// Provides the number of exercises that were done. Code that has one can read and follow the count, and
/// nothing else.
public protocol ExerciseExecutionCountNotifying: Sendable {
  /// The number of exercises so far.
  var count: StateOutlet<Int> { get }
}
