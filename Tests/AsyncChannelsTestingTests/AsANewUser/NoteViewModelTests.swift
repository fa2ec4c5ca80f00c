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
    let saved = $savedText
    await $text.filter { $0 != saved.value }.answer(
      .latestOnly, debounce: .seconds(1).atLatest(after: .seconds(10)), clock: self.clock,
      busy: _isSaving.inlet,
      retry: .exponential(from: .seconds(1), upTo: .seconds(4), attempts: 4), by: save
    ) { text, result in
      if case .success = result { self.savedText = text }
    }
  }

  /// Saves what is not saved yet. Then `run()` returns.
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
