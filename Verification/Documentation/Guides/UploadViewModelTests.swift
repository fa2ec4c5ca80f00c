import AsyncChannelsRunning
import AsyncChannelsTesting
import XCTest

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
