import AsyncChannels
import AsyncChannelsTesting
import XCTest

final class EditorViewModelTests: XCTestCase {
  @MainActor
  func test_theTextOfTheTapIsSaved() async throws {
    try await withTestTime { time in
      let editor = EditorViewModel()
      await withRunning(editor) {
        editor.draft = "one"
        editor.save.send()
        editor.draft = "two"
        await time.idle()
        XCTAssertEqual(editor.saved, ["one"])
        editor.removeAll.send()
        editor.save.send()
        await time.idle()
        XCTAssertEqual(editor.saved, ["two"])
      }
    }
  }
}
