public import AsyncChannelsRunning
public import Observation

/// Counts a manager's members.
@MainActor
public final class MembersSummaryViewModel: ViewModel, Observable {
  /// Output: as of the last good list; a failure does not change it.
  public var memberCount: StateOutlet<Int> { $count }

  @CurrentValue private var count = 0
  private let manager: any MemberManager

  /// Makes a summary of a manager's members.
  public init(manager: any MemberManager = DefaultMemberManager.shared) {
    self.manager = manager
  }

  /// Follows the manager until its task is cancelled.
  public func run() async {
    for await case .success(let members) in manager.members {
      count = members.count
    }
  }
}
