public import AsyncChannels

/// The list of members.
public protocol MembersViewModelType: ViewModel {
  /// Input: removes a member.
  var remove: Inlet<Member> { get }

  /// Input: removes all members.
  var reset: Inlet<Void> { get }

  /// The last good list; a failure does not change it.
  var members: [Member] { get }

  /// Output: the same, as it is and after each list.
  var membersOutlet: Outlet<[Member]> { get }
}
