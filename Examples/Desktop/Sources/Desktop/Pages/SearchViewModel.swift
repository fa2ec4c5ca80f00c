import AsyncChannelsRunning

/// Finds names when the user has stopped typing.
final class SearchViewModel: ViewModel {
  /// Input: a part of a name. Capitals make no difference.
  @Input var query: Inlet<String>

  /// Output: the names that have it, all of them at first.
  var hits: StateOutlet<[String]> { $found }

  @CurrentValue private var found: [String]
  private let names: [String]

  init(names: [String]) {
    self.names = names
    found = names
  }

  func run() async {
    let names = names
    await _query.received.answer(.latestOnly, debounce: .milliseconds(200)) { query in
      let query = query.lowercased()
      return names.filter { query.isEmpty || $0.lowercased().contains(query) }
    } publish: {
      self.found = $1
    }
  }
}
