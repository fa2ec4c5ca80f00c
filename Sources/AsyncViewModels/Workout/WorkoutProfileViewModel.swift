public import AsyncChannels
public import Observation

/// Shows a user's workout in a profile. It can only read the count, not change it.
///
/// Its state is derived from the notifier's state, so it needs no `run()`.
@MainActor
public final class WorkoutProfileViewModel: Observable {
  /// Output: how many exercises were done.
  public let executionCount: StateOutlet<Int>

  /// Output: the same in words.
  public let summary: StateOutlet<String>

  /// Makes a profile that shows what a notifier counts.
  public init(notifier: any ExerciseExecutionCountNotifying) {
    executionCount = notifier.count
    summary = notifier.count.map { "Exercises done: \($0)" }
  }
}
