public import AsyncChannelsRunning
public import Observation

/// Shows a manager's members, and removes them.
@MainActor
public final class MembersViewModel: ViewModel, Observable {
  /// Input: removes a member.
  public var remove: Inlet<Member> { manager.removeMember }

  /// Input: removes all members.
  public var reset: Inlet<Void> { manager.resetMembers }

  /// Output: the last good list; a failure does not change it.
  public var members: StateOutlet<[Member]> { $list }

  @CurrentValue private var list: [Member] = []
  private let manager: any MemberManager

  /// Makes a list of a manager's members.
  public init(manager: any MemberManager = DefaultMemberManager.shared) {
    self.manager = manager
  }

  /// Follows the manager until its task is cancelled.
  public func run() async {
    for await case .success(let members) in manager.members {
      list = members
    }
  }
}
