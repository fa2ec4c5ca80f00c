import AsyncChannelsRunning
import AsyncViewModels
import Observation

typealias SignInViewModel = AsyncViewModels.AuthViewModel

@MainActor
final class CounterViewModel: ViewModel, Observable {
  @Input var increment: Inlet<Void>
  @CurrentValue private(set) var count = 0
  func run() async {}
}
