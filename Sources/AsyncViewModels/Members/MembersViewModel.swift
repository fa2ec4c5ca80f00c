public import AsyncChannels
public import Observation

/// The list of members.
@MainActor
public final class MembersViewModel: ViewModel, Observable {
  /// The last good list; a failure does not change it.
  @CurrentValue public private(set) var members: [Member] = []

  /// Removes a member.
  public var remove: Inlet<Member> { manager.removeMember }

  /// Removes all members.
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
