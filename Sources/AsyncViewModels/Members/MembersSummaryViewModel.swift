public import AsyncChannels
public import Observation

/// How many members there are.
@MainActor
public final class MembersSummaryViewModel: ViewModel, Observable {
  /// As of the last good list; a failure does not change it.
  @CurrentValue public private(set) var memberCount = 0

  private let manager: any MemberManager

  public init(manager: any MemberManager = DefaultMemberManager.shared) {
    self.manager = manager
  }

  public func run() async {
    for await case .success(let members) in manager.members {
      memberCount = members.count
    }
  }
}
