public import AsyncChannels

/// Tells how many exercises were done. Whoever has one can listen, and can do nothing else.
public protocol ExerciseExecutionCountNotifying: Sendable {
  /// The count as it is when subscribed to, then after each exercise.
  var count: Outlet<Int> { get }
}
