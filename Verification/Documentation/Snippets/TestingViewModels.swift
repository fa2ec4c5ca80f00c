import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels
import Observation

@MainActor
final class SearchViewModel: ViewModel, Observable {
  @Input var query: Inlet<String>
  @CurrentValue private(set) var hits: [String] = []
  @CurrentValue private(set) var isBusy = false
  init(search: @escaping @Sendable (String) async -> [String]) {}
  func run() async {}
}
