import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import Observation
import XCTest

@MainActor
final class ObservableTests: XCTestCase {
  /// So that SwiftUI's `@Bindable` takes them. That this compiles is the test.
  func test_everyViewModelIsObservable() async {
    let manager = SpyMemberManager()
    accept(AuthViewModel(authenticator: SlowAuthenticator(TestClock())))
    accept(WorkoutProfileViewModel(notifier: ExerciseExecutionCountNotifier()))
    accept(TextFilterViewModel())
    accept(ProfileViewModel(loader: SlowLoader(TestClock())))
    accept(MembersSummaryViewModel(manager: manager))
    accept(MembersViewModel(manager: manager))
    accept(NewMemberViewModel(manager: manager))
  }

  private func accept(_ viewModel: some Observable) {}
}
