import AsyncChannelsRunning

//# .latestOnly, debounce: .milliseconds(300)
@MainActor final class SearchViewModel: ViewModel {
  @Input var query: Inlet<String>
  @CurrentValue private(set) var hits: [Hit] = []
  @CurrentValue private(set) var isBusy = false

/*block*/
}
