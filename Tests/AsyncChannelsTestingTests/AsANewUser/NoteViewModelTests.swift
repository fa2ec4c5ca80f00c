import AsyncChannels
import AsyncChannelsTesting
import Observation
import XCTest

@MainActor
final class NoteViewModel: ViewModel, Observable {
  @CurrentValue var text: String
  @CurrentValue private(set) var savedText: String
  @CurrentValue private(set) var isSaving = false
  private let clock: any Clock<Duration>
  private let save: @Sendable (String) async throws -> Void

  init(
    _ text: String, clock: any Clock<Duration> = ContinuousClock(),
    save: @escaping @Sendable (String) async throws -> Void
  ) {
    self.clock = clock
    self.save = save
    self.text = text
    savedText = text
  }

  func run() async {
    let (text, saved, save) = ($text, $savedText, save)
    await text.answer(
      debounce: .seconds(1).atLatest(after: .seconds(10)), clock: self.clock,
      busy: _isSaving.inlet,
      retry: .exponential(from: .seconds(1), upTo: .seconds(4), attempts: 4)
    ) { _ in
      // Also when it is tried again.
      let newest = text.value
      if newest != saved.value { try await save(newest) }
      return newest
    } publish: { _, result in
      if case .success(let text) = result { self.savedText = text }
    }
    // What could not be saved.
    if !Task.isCancelled, self.text != savedText, (try? await save(self.text)) != nil {
      savedText = self.text
    }
  }

  /// Saves what is not saved yet. Then `run()` returns, and nothing is written any more.
  func finish() { _text.finish() }
}

final class NoteViewModelTests: XCTestCase {
  @MainActor
  func test_aNoteIsSavedAfterAPauseAndAtTheEnd() async throws {
    try await withTestTime { time in
      let saves = Channel<String>()
      let saved = Probe(saves.outlet)
      let note = NoteViewModel("", clock: time.clock) { saves.send($0) }
      await withRunning(note) {
        note.text = "H"
        note.text = "Hello"
        await time.advance(by: .seconds(1))
        XCTAssertEqual(saved.values, ["Hello"])
        note.text = "Hello, Ann"
        note.finish()
        await time.idle()
      }
      XCTAssertEqual(saved.values, ["Hello", "Hello, Ann"])
      XCTAssertEqual(note.savedText, "Hello, Ann")
    }
  }

  @MainActor
  func test_aTextThatIsTakenBackIsNotSaved() async throws {
    try await withTestTime { time in
      let disk = CurrentValue("")
      let note = NoteViewModel("", clock: time.clock) { text in
        try await time.clock.sleep(for: .seconds(3))
        disk.value = text
      }
      await withRunning(note) {
        note.text = "H"
        await time.advance(by: .milliseconds(500))
        note.text = ""
        await time.advance(by: .seconds(20))
        XCTAssertEqual([disk.value, note.savedText], ["", ""])
        // Or while it is saved.
        note.text = "Hello"
        await time.advance(by: .seconds(2))
        note.text = ""
        await time.advance(by: .seconds(2))
        XCTAssertEqual([disk.value, note.savedText], ["Hello", "Hello"])
        XCTAssertFalse(note.isSaving)
        await time.advance(by: .seconds(20))
        XCTAssertEqual([disk.value, note.savedText], ["", ""])
      }
    }
  }

  @MainActor
  func test_theLastSaveIsTriedOnceMoreWhenAllTriesHaveFailed() async throws {
    try await withTestTime { time in
      let (disk, isBroken) = (CurrentValue(""), CurrentValue(true))
      let note = NoteViewModel("", clock: time.clock) { text in
        try await time.clock.sleep(for: .seconds(5))
        if isBroken.value { throw CancellationError() }
        disk.value = text
      }
      await withRunning(note) {
        note.text = "Hello"
        await time.advance(by: .seconds(60))
        XCTAssertFalse(note.isSaving)
        isBroken.value = false
        note.finish()
        await time.run()
        XCTAssertEqual([disk.value, note.savedText], ["Hello", "Hello"])
      }
    }
  }

  @MainActor
  func test_aNoteThatIsFinishedBetweenTwoRunsIsSavedByTheNext() async throws {
    try await withTestTime { time in
      let disk = CurrentValue("")
      let note = NoteViewModel("", clock: time.clock) { disk.value = $0 }
      await withRunning(note) { note.text = "Hello" }
      XCTAssertEqual(disk.value, "", "it was cancelled")
      note.finish()
      await note.run()
      XCTAssertEqual([disk.value, note.savedText], ["Hello", "Hello"])
    }
  }

  @MainActor
  func test_aFailedSaveIsTriedAgain() async throws {
    try await withTestTime { time in
      let tries = CurrentValue(0)
      let note = NoteViewModel("", clock: time.clock) { _ in
        tries.update { $0 += 1 }
        if tries.value < 3 { throw CancellationError() }
      }
      await withRunning(note) {
        note.text = "Hello"
        await time.advance(by: .seconds(4))
        XCTAssertEqual(tries.value, 3)
        XCTAssertEqual(note.savedText, "Hello")
      }
    }
  }
}
