import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import Observation
import TestSupport
import XCTest

/// Row: split binding.
@MainActor
final class TextFilterViewModelTests: XCTestCase {
  func test_textsOfMoreThanThreeCharactersGoOut() async throws {
    let field = TextFilterViewModel()
    let outputs = Probe(field.outputText)
    try await outputs.expect("")
    try await withRunning(field) {
      // Three characters each, of more than three scalars, or bytes; then four.
      for short in ["", "abc", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "e\u{301}e\u{301}e\u{301}", "もしも", "🇯🇵🇩🇪🇬🇷"] {
        field.inputText.send(short)
      }
      field.inputText.send("abcd")
      try await outputs.expect("abcd")
      for long in ["👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "e\u{301}e\u{301}e\u{301}e\u{301}", "もしもの", "    "] {
        field.inputText.send(long)
        try await outputs.expect(long)
        XCTAssertEqual(field.outputText.value, long)
      }
      try outputs.finish()
    }
  }

  func test_whoFollowsTheOutputIsNotToldOfShortTexts() async throws {
    let field = TextFilterViewModel()
    let outputs = Probe(field.outputText)
    let told = Record<Void>()
    let phases = Probe(field.isFiltering)
    withObservationTracking {
      _ = field.outputText.value
    } onChange: {
      told.add(())
    }
    try await withRunning(field) {
      try await phases.expect(false)
      for text in ["n", "ne", "new", "ne", ""] {
        field.text.value = text
        try await phases.expect(true)
        try await phases.expect(false)
        XCTAssertEqual(field.text.value, text, "the field itself shows every text")
      }
    }
    try await outputs.expect("")
    try outputs.finish()
    XCTAssertEqual(told.count, 0)
    XCTAssertEqual(field.outputText.value, "")
  }

  func test_theSameTextAgainIsSentOnce() async throws {
    let asked = Record<String>()
    let field = TextFilterViewModel { text in
      asked.add(text)
      return true
    }
    let outputs = Probe(field.outputText)
    try await outputs.expect("")
    try await withRunning(field) {
      for text in ["news", "news", "news"] { field.text.value = text }
      try await outputs.expect("news")
      field.text.value = "news"
      field.text.value = "newt"
      try await outputs.expect("newt")
      try outputs.finish()
    }
    XCTAssertEqual(asked.events, ["news", "newt"])
  }

  /// The trap "echo": the article's stutter with Japanese input. The fifth character, where an input
  /// method turns n, o into の, is typed while the output of the fourth is held back.
  func test_aLateOutputDoesNotReplaceWhatAnInputMethodHasTypedSince() async throws {
    let gates = ["もしもn": Gate(), "もしもの": Gate()]
    let begun = Channel<String>()
    let asked = Probe(begun.outlet)
    let field = TextFilterViewModel { text in
      begun.send(text)
      await gates[text]?.pass()
      return text.count > 3
    }
    let outputs = Probe(field.outputText)
    try await outputs.expect("")
    try await withRunning(field) {
      field.text.value = "もしもn"
      try await asked.expect("もしもn")
      field.text.value = "もしもの"
      XCTAssertEqual(field.text.value, "もしもの")
      gates["もしもn"]?.open()
      try await outputs.expect("もしもn")
      XCTAssertEqual(field.outputText.value, "もしもn", "the output has come …")
      XCTAssertEqual(field.text.value, "もしもの", "… and the field keeps what was typed since")
      try await asked.expect("もしもの")
      gates["もしもの"]?.open()
      try await outputs.expect("もしもの")
      XCTAssertEqual(field.text.value, "もしもの")
      try outputs.finish()
    }
  }

  func test_whatIsTypedWhileNothingRunsIsShownAndFilteredLater() async throws {
    let field = TextFilterViewModel()
    let outputs = Probe(field.outputText)
    for text in ["new", "news", "newsp"] { field.text.value = text }
    XCTAssertEqual(field.text.value, "newsp")
    try await withRunning(field) {
      let seen = try await outputs.next(3)
      XCTAssertEqual(seen, ["", "news", "newsp"])
      XCTAssertEqual(field.text.value, "newsp")
    }
  }

  func test_aTextIsLookedAtOneAfterTheOther() async throws {
    let gate = Gate()
    let field = TextFilterViewModel { text in
      if text == "first" { await gate.pass() }
      return true
    }
    let outputs = Probe(field.outputText)
    try await withRunning(field) {
      for text in ["first", "second", "third"] { field.inputText.send(text) }
      try await Probe(field.isFiltering).next(where: { $0 })
      XCTAssertTrue(field.isFiltering.value)
      gate.open()
      let seen = try await outputs.next(4)
      XCTAssertEqual(seen, ["", "first", "second", "third"])
      XCTAssertFalse(field.isFiltering.value)
    }
  }
}
