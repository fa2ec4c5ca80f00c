public import AsyncChannels

/// What a profile shows of somebody's workout.
public protocol WorkoutProfileViewModelType: ViewModel {
  /// How many exercises were done.
  var executionCount: Int { get }

  /// Output: the same, as it is and as it changes.
  var executionCountOutlet: Outlet<Int> { get }
}
