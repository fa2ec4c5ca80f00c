import AsyncChannelsRunning

//# func run() async
@MainActor
final class SearchViewModel: ViewModel {
  @Input var query: Inlet<String>
  @CurrentValue private(set) var hits: [String] = []
  private let search: @Sendable (String) async -> [String] = { [$0] }
/*block*/
}
