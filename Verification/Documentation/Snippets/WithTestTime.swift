import AsyncChannelsRunning
import AsyncChannelsTesting
import Observation
import XCTest

@MainActor
final class SearchViewModel: ViewModel, Observable {
  @Input var query: Inlet<String>
  @CurrentValue private(set) var hits: [String] = []
  init(
    clock: any Clock<Duration> = ContinuousClock(),
    search: @escaping @Sendable (String) async -> [String]
  ) {}
  func run() async {}
}
