import AsyncChannelsRecording
import AsyncChannelsRunning

@MainActor final class SearchViewModel: ViewModel {
  func run() async {}
}

@MainActor let viewModel = SearchViewModel()
let recording = Recording()
//# .concurrent, by:
import AsyncChannelsRunning

struct SearchIndex: Sendable {
  func search(_ query: String) async -> [String] { [] }
}

@MainActor final class Search: ViewModel {
  @Input var query: Inlet<String>
  @Output var hits: Outlet<[String]>
  let index = SearchIndex()

  func run() async {
    /*block*/
  }
}
//# keepCrashReport(in: path)
import AsyncChannelsRecording

func begin(_ recording: Recording, path: String) throws {
  /*block*/
}
