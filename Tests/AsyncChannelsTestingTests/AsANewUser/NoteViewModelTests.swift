import AsyncChannelsRunning
import AsyncChannelsTesting
import Observation
import XCTest

@MainActor
final class NoteViewModel: ViewModel, Observable {
  @CurrentValue var text: String
  /// Nil while that is not known: from the beginning of a save until it succeeds.
  @CurrentValue private(set) var savedText: String?
  @CurrentValue private(set) var hasFailed = false
  @CurrentValue private var isHurried = false
  private var isRunning = false
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
    isRunning = true
    defer { (isRunning, isHurried) = (false, false) }
    let (text, saved, setSaved, save) = ($text, $savedText, _savedText.inlet, save)
    let pause = Debounce<String>.by { [isHurried = $isHurried] _ in
      isHurried.value ? .zero : .seconds(1)
    }
    await text.answer(
      debounce: pause.atLatest(after: .seconds(10)), clock: self.clock,
      retry: .exponential(from: .seconds(1), upTo: .seconds(4), attempts: 4)
    ) { _ in
      // The text of now, also when it is tried again.
      let newest = text.value
      if newest == saved.value { return newest }
      setSaved.send(nil)
      try await save(newest)
      return newest
    } publish: { _, result in
      self.savedText = try? result.get()
      self.hasFailed = self.savedText == nil
      if self.hasFailed || self.savedText == self.text { self.isHurried = false }
    }
    // What could not be saved.
    let last = self.text
    if !Task.isCancelled, last != savedText {
      hasFailed = (try? await save(last)) == nil
      savedText = hasFailed ? nil : last
    }
  }

  /// Saves without waiting for the debounce interval, and returns when it is saved or has failed, or `run()` ends.
  func saveNow() async {
    guard isRunning else { return }
    isHurried = true
    // An equal value begins a new pause.
    _text.update { _ in }
    for await isHurried in $isHurried where !isHurried { return }
  }

  /// Saves what is not saved yet. Then `run()` returns. The text does not change any more.
  func finish() { _text.finish() }
}

/// Runs a note until its last save, whatever the screen does.
@MainActor
final class OpenNote {
  let note: NoteViewModel
  private let run: Task<Void, Never>

  init(_ note: NoteViewModel) {
    self.note = note
    run = Task { await note.run() }
  }

  /// False if the last save has failed.
  func close() async -> Bool {
    note.finish()
    await run.value
    return !note.hasFailed
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

/// What a note must not lose or misreport.
final class NoteLossTests: XCTestCase {
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
        XCTAssertTrue(note.hasFailed)
        isBroken.value = false
        note.finish()
        await time.run()
        XCTAssertEqual([disk.value, note.savedText], ["Hello", "Hello"])
        XCTAssertFalse(note.hasFailed)
      }
    }
  }

  @MainActor
  func test_anOpenNoteIsSavedWhenItIsClosed() async throws {
    try await withTestTime { time in
      for isBroken in [false, true] {
        let disk = CurrentValue("")
        let open = OpenNote(
          NoteViewModel("", clock: time.clock) { text in
            if isBroken { throw CancellationError() }
            disk.value = text
          })
        open.note.text = "Hello"
        async let isSaved = open.close()
        await time.run()
        let result = await isSaved
        XCTAssertEqual(result, !isBroken)
        XCTAssertEqual(disk.value, isBroken ? "" : "Hello")
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

  /// The answer of the store is lost, and the text is what it was before.
  @MainActor
  func test_aTextIsSavedAgainThatMayHaveBeenReplaced() async throws {
    try await withTestTime { time in
      let disk = CurrentValue("A")
      let isBroken = CurrentValue(true)
      let note = NoteViewModel("A", clock: time.clock) { text in
        disk.value = text
        if isBroken.value { throw CancellationError() }
      }
      await withRunning(note) {
        note.text = "B"
        await time.advance(by: .seconds(1))
        isBroken.value = false
        note.text = "A"
        await time.advance(by: .seconds(10))
        XCTAssertEqual([disk.value, note.savedText], ["A", "A"])
      }
    }
  }
}

final class HurriedNoteTests: XCTestCase {
  @MainActor
  func test_itIsSavedNowAndGoesOn() async throws {
    try await withTestTime { time in
      let saves = Channel<String>()
      let saved = Probe(saves.outlet)
      let note = NoteViewModel("", clock: time.clock) { saves.send($0) }
      await withRunning(note) {
        await time.idle()
        note.text = "H"
        await note.saveNow()
        XCTAssertEqual(saved.values, ["H"])
        note.text = "He"
        await time.advance(by: .milliseconds(999))
        XCTAssertEqual(saved.values, ["H"])
        await time.advance(by: .milliseconds(1))
        XCTAssertEqual(saved.values, ["H", "He"])
      }
    }
  }

  @MainActor
  func test_savingNowEndsWithTheNote() async throws {
    try await withTestTime { time in
      let note = NoteViewModel("", clock: time.clock) { _ in
        try await time.clock.sleep(for: .seconds(5))
      }
      await note.saveNow()
      let open = OpenNote(note)
      await time.idle()
      note.text = "H"
      let closing = Task { await open.close() }
      await time.idle()
      let saving = Task { await note.saveNow() }
      await time.run()
      let isSaved = await closing.value
      XCTAssertTrue(isSaved)
      await saving.value
      XCTAssertEqual(note.savedText, "H")
    }
  }

  /// What is typed while an older text is being saved, too.
  @MainActor
  func test_itIsSavedNowBehindASaveThatIsGoingOn() async throws {
    try await withTestTime { time in
      let saves = Channel<String>()
      let saved = Probe(saves.outlet)
      let note = NoteViewModel("", clock: time.clock) { text in
        try await time.clock.sleep(for: .seconds(5))
        saves.send(text)
      }
      await withRunning(note) {
        note.text = "H"
        await time.advance(by: .seconds(2))
        note.text = "He"
        let saving = Task { await note.saveNow() }
        await time.advance(by: .seconds(4))
        XCTAssertEqual(saved.values, ["H"])
        await time.advance(by: .seconds(5))
        XCTAssertEqual(saved.values, ["H", "He"])
        await saving.value
      }
    }
  }
}
