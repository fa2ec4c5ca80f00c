public import AsyncChannels
public import Observation

/// What a profile shows of somebody's workout.
public protocol WorkoutProfileViewModelType: ViewModel {
  /// How many exercises were done.
  var executionCount: Int { get }

  /// Output: the same, as it is and as it changes.
  var executionCountOutlet: Outlet<Int> { get }
}

/// Listens to a notifier; it could not send a count if it wanted to.
@MainActor
public final class WorkoutProfileViewModel: WorkoutProfileViewModelType, Observable {
  @CurrentValue public private(set) var executionCount = 0
  public var executionCountOutlet: Outlet<Int> { $executionCount }

  private let notifier: any ExerciseExecutionCountNotifying

  public init(notifier: any ExerciseExecutionCountNotifying) {
    self.notifier = notifier
  }

  public func run() async {
    for await count in notifier.count { executionCount = count }
  }
}
