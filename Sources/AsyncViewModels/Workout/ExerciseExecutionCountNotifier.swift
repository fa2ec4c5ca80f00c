public import AsyncChannels

/// Counts exercises. Only this actor can change the count.
public actor ExerciseExecutionCountNotifier: ExerciseExecutionCountNotifying {
  private let executions = CurrentValue(0)

  /// Makes a notifier that has counted nothing yet.
  public init() {}

  /// How many exercises were executed.
  public nonisolated var count: StateOutlet<Int> { executions.outlet }

  /// Counts one more, and publishes the count.
  public func exerciseExecuted() {
    executions.update { $0 += 1 }
  }
}
