public import AsyncChannels
public import Observation

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
