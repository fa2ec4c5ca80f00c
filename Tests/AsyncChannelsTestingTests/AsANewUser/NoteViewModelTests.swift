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
    let (clock, save, saved) = (clock, save, $savedText)
    await $text.filter { $0 != saved.value }.answer(
      .latestOnly, debounce: .seconds(1), clock: clock, busy: _isSaving.inlet
    ) { text in
      for pause in [1, 2, 4] {
        do { return try await save(text) } catch {}
        try await clock.sleep(for: .seconds(pause))
      }
      try await save(text)
    } publish: { text, result in
      if case .success = result { self.savedText = text }
    }
    let text = text
    if text != savedText {
      // The run's own task is cancelled, and this one is not.
      await Task { if (try? await save(text)) != nil { self.savedText = text } }.value
    }
  }
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
        await time.advance(by: .milliseconds(500))
      }
      XCTAssertEqual(saved.values, ["Hello", "Hello, Ann"])
      XCTAssertEqual(note.savedText, "Hello, Ann")
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
