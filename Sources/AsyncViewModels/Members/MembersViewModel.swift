public import AsyncChannels
public import Observation

/// Shows a manager's members, and removes them.
@MainActor
public final class MembersViewModel: MembersViewModelType, Observable {
  @CurrentValue public private(set) var members: [Member] = []
  public var membersOutlet: Outlet<[Member]> { $members }

  public var remove: Inlet<Member> { manager.removeMember }
  public var reset: Inlet<Void> { manager.resetMembers }

  private let manager: any MemberManager

  public init(manager: any MemberManager = DefaultMemberManager.shared) {
    self.manager = manager
  }

  public func run() async {
    for await case .success(let members) in manager.members {
      self.members = members
    }
  }
}
