import AsyncChannels
import AsyncViewModels
import Observation
import XCTest

@MainActor
final class ObservableTests: XCTestCase {
  /// So that SwiftUI's `@Bindable` takes them. That this compiles is the test.
  func test_everyViewModelIsObservable() async {
    let manager = SpyMemberManager()
    accept(AuthViewModel(authenticator: HeldAuthenticator()))
    accept(WorkoutProfileViewModel(notifier: ExerciseExecutionCountNotifier()))
    accept(TextFilterViewModel())
    accept(ProfileViewModel(loader: HeldLoader()))
    accept(MembersSummaryViewModel(manager: manager))
    accept(MembersViewModel(manager: manager))
    accept(NewMemberViewModel(manager: manager))
  }

  private func accept(_ viewModel: some Observable) {}
}
