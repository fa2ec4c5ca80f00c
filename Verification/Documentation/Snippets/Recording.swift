import AsyncChannels
import AsyncChannelsRecording

@MainActor final class SearchViewModel: ViewModel {
  func run() async {}
}

@MainActor let viewModel = SearchViewModel()
