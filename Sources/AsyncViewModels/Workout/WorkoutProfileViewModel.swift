public import AsyncChannels
public import Observation

/// What a profile shows of somebody's workout. It could not send a count if it wanted to.
///
/// Its state is the notifier's, seen through a closure: there is nothing to run.
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
