import AsyncChannelsRecording
import AsyncChannelsRunning

@MainActor final class SearchViewModel: ViewModel {
  func run() async {}
}

@MainActor let viewModel = SearchViewModel()
