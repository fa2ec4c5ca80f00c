import AsyncChannels
import AsyncChannelsTesting
import XCTest

private enum UploadError: Error {
  case offline
}

@MainActor
private final class UploadViewModel: ViewModel {
  @Input var upload: Inlet<String>
  @Output(keepingUnheard: .bufferingNewest(1)) var alert: Outlet<String>
  private let store: @Sendable (String) async throws(UploadError) -> Void

  init(store: @escaping @Sendable (String) async throws(UploadError) -> Void) {
    self.store = store
  }

  func run() async {
    await _upload.received.answer(by: store) { name, result in
      if case .failure = result { self._alert.send("\(name) was not stored.") }
    }
  }
}

final class UploadViewModelTests: XCTestCase {
  @MainActor
  func test_anAlertWaitsForItsViewAndIsShownOnce() async throws {
    try await withTestTime { time in
      let viewModel = UploadViewModel { _ throws(UploadError) in throw .offline }
      await withRunning(viewModel) {
        viewModel.upload.send("a.txt")
        await time.idle()
        let first = Probe(viewModel.alert)
        await time.idle()
        XCTAssertEqual(first.values, ["a.txt was not stored."])
        let second = Probe(viewModel.alert)
        await time.idle()
        XCTAssertEqual(second.values, [])
      }
    }
  }
}
