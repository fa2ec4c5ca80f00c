import AsyncChannelsRunning
import Observation

/// A search screen: debounced, the latest query only, hits or an error, and whether it is busy.
@MainActor
final class SearchScreen<Time: Clock<Duration>>: ViewModel, Observable {
  @Input var query: Inlet<String>
  @CurrentValue private(set) var result = Result<[String], SearchFailure>.success([])
  @CurrentValue private(set) var isSearching = false
  private let clock: Time
  private let search: @Sendable (String) async throws(SearchFailure) -> [String]

  init(
    clock: Time, search: @escaping @Sendable (String) async throws(SearchFailure) -> [String]
  ) {
    self.clock = clock
    self.search = search
  }

  func run() async {
    await _query.received.answer(
      .latestOnly, debounce: .milliseconds(300), clock: clock, busy: _isSearching.inlet, by: search
    ) { self.result = $1 }
  }
}

enum SearchFailure: Error {
  case emptyQuery
}
