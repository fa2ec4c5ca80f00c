public import AsyncChannels

/// The one source of truth about the members, shared by all that show or change them.
///
/// Its inputs are inlets and its output is an outlet: only the manager changes the members, and all others
/// only listen.
public protocol MemberManager: Sendable {
  /// Adds a member with this name.
  var addMember: Inlet<String> { get }

  /// Removes a member. A member that is not in the list is ignored.
  var removeMember: Inlet<Member> { get }

  /// Removes all members.
  var resetMembers: Inlet<Void> { get }

  /// The list as it is when subscribed to, and after each command that changed it; a failure for
  /// each command that was refused, to the listeners of that moment.
  var members: Outlet<Result<[Member], MemberFailure>> { get }

  /// Carries out the commands. Called once, by the program, for as long as it needs members;
  /// commands wait while it does not run. When cancelled it can be called again.
  func run() async
}
