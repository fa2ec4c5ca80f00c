import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels

struct ListState: Sendable, Equatable {
  var isLoading = true
  var items: [String] = []
}
//# state.expect {
func example(state: Probe<ListState>) async throws {
/*block*/
}
