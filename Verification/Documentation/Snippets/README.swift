import AsyncChannelsRecording
import AsyncChannelsRunning
import AsyncChannelsTesting
import Observation

@MainActor final class SearchViewModel: ViewModel, Observable {
  @Input var query: Inlet<String>
  @CurrentValue private(set) var hits: [String] = []
  @CurrentValue private(set) var isBusy = false
  init(
    clock: any Clock<Duration> = ContinuousClock(),
    search: @escaping @Sendable (String) async -> [String]
  ) {}
  func run() async {}
}

//# struct SearchView: View {
import SwiftUI

/*block*/
