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

//# func run() async {
@MainActor
final class Own: ViewModel {
  @Input var query: Inlet<String>
  @CurrentValue private(set) var hits: [String] = []
  private let clock: any Clock<Duration> = ContinuousClock()
  private let search: @Sendable (String) async -> [String] = { [$0] }

/*block*/
}
