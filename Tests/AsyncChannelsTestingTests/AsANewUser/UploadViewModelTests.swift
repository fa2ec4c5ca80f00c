import AsyncChannelsRunning
import AsyncChannelsTesting
import XCTest

private enum UploadError: Error {
  case offline
}

@MainActor
private final class UploadViewModel: ViewModel {
  @Input var upload: Inlet<String>
  let alerts: Subscription<String>
  private let failed = Channel<String>()
  private let store: @Sendable (String) async throws(UploadError) -> Void

  init(store: @escaping @Sendable (String) async throws(UploadError) -> Void) {
    self.store = store
    alerts = failed.outlet.subscribe()
  }

  func run() async {
    await _upload.received.answer(
      by: store, abandoned: { self.failed.send("\($0) may not be stored.") }
    ) { name, result in
      if case .failure = result { self.failed.send("\(name) was not stored.") }
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
        let first = await viewModel.alerts.next()
        XCTAssertEqual(first, "a.txt was not stored.")
        XCTAssertEqual(viewModel.alerts.pendingCount, 0)
      }
    }
  }
}

final class UploadsThatAreLeftTests: XCTestCase {
  @MainActor
  func test_eachFailureHasItsAlert() async throws {
    try await withTestTime { time in
      let viewModel = UploadViewModel { _ throws(UploadError) in throw .offline }
      await withRunning(viewModel) {
        for name in ["a", "b"] { viewModel.upload.send(name) }
        await time.idle()
      }
      XCTAssertEqual(viewModel.alerts.pendingCount, 2)
    }
  }

  @MainActor
  func test_anUploadThatIsLeftHasItsAlert() async throws {
    try await withTestTime { time in
      let viewModel = UploadViewModel { _ in try? await time.clock.sleep(for: .seconds(60)) }
      await withRunning(viewModel) {
        viewModel.upload.send("a")
        await time.idle()
      }
      let alert = await viewModel.alerts.next()
      XCTAssertEqual(alert, "a may not be stored.")
    }
  }
}
