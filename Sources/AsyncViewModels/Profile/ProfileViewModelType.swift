public import AsyncChannels

/// A user's profile, loaded when asked for.
public protocol ProfileViewModelType: ViewModel {
  /// Input: show this user.
  var load: Inlet<User.ID> { get }

  /// Input: load the user that is shown again.
  var reload: Inlet<Void> { get }

  var state: ProfileViewModel.State { get }

  /// Output: the state as it is and as it changes.
  var stateOutlet: Outlet<ProfileViewModel.State> { get }
}
