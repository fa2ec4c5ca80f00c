public import AsyncChannels

/// The form for a new member.
public protocol NewMemberViewModelType: ViewModel {
  /// What is typed into the form.
  var name: String { get set }

  /// Input: adds a member with the name as it is when this is sent.
  var add: Inlet<Void> { get }

  /// Why the last command failed; nil after the next that succeeds.
  var failure: MemberFailure? { get }

  /// Output: the same, as it is and after each result that the manager publishes.
  var failureOutlet: Outlet<MemberFailure?> { get }
}
