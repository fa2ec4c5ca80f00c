import AsyncChannelsRunning
import AsyncChannelsTesting
import XCTest

@MainActor
private final class EditorViewModel: ViewModel {
  private enum Command { case save(String), removeAll }
  private let commands = Input<Command>()
  @CurrentValue var draft = ""
  @CurrentValue private(set) var saved: [String] = []

  var save: Inlet<Void> { commands.inlet { [draft = $draft] in .save(draft.value) } }
  var removeAll: Inlet<Void> { commands.inlet(.removeAll) }

  func run() async {
    for await command in commands.received {
      switch command {
      case .save(let text): saved.append(text)
      case .removeAll: saved = []
      }
    }
  }
}

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
