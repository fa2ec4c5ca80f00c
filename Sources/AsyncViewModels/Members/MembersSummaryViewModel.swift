public import AsyncChannels
public import Observation

/// Counts a manager's members.
@MainActor
public final class MembersSummaryViewModel: MembersSummaryViewModelType, Observable {
  @CurrentValue public private(set) var memberCount = 0
  public var memberCountOutlet: Outlet<Int> { $memberCount }

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
