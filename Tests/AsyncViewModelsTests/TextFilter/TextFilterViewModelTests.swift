import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels
import Observation
import TestSupport
import XCTest

/// Row: split binding.
@MainActor
final class TextFilterViewModelTests: XCTestCase {
  func test_textsOfMoreThanThreeCharactersGoOut() async throws {
    // Three characters each, of more than three scalars, or bytes; then four.
    let short = ["", "abc", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "e\u{301}e\u{301}e\u{301}", "もしも", "🇯🇵🇩🇪🇬🇷"]
    let long = ["abcd", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "e\u{301}e\u{301}e\u{301}e\u{301}", "もしもの", "    "]
    try await withTestTime { time in
      let field = TextFilterViewModel()
      let outputs = Probe(field.outputText)
      await withRunning(field) {
        for text in short + long {
          field.inputText.send(text)
          await time.idle()
        }
      }
      XCTAssertEqual(outputs.values, [""] + long)
    }
  }

  func test_whoFollowsTheOutputIsNotToldOfShortTexts() async throws {
    try await withTestTime { time in
      let field = TextFilterViewModel()
      let outputs = Probe(field.outputText)
      let told = Record<Void>()
      let phases = Probe(field.isFiltering)
      withObservationTracking {
        _ = field.outputText.value
      } onChange: {
        told.add(())
      }
      let texts = ["n", "ne", "new", "ne", ""]
      await withRunning(field) {
        for text in texts {
          field.text.value = text
          await time.idle()
          XCTAssertEqual(field.text.value, text, "the field itself shows every text")
        }
      }
      XCTAssertEqual(phases.values, [false] + texts.flatMap { _ in [true, false] })
      XCTAssertEqual(outputs.values, [""])
      XCTAssertEqual(told.count, 0)
    }
  }

  func test_theSameTextAgainIsSentOnce() async throws {
    try await withTestTime { time in
      let asked = Record<String>()
      let field = TextFilterViewModel { text in
        asked.add(text)
        return true
      }
      let outputs = Probe(field.outputText)
      await withRunning(field) {
        for text in ["news", "news", "news"] { field.text.value = text }
        await time.idle()
        field.text.value = "news"
        field.text.value = "newt"
        await time.idle()
      }
      XCTAssertEqual(outputs.values, ["", "news", "newt"])
      XCTAssertEqual(asked.events, ["news", "newt"])
    }
  }

  /// The trap "echo": the article's stutter with Japanese input. The fifth character, where an input
  /// method turns n, o into の, is typed while the output of the fourth is held back.
  func test_aLateOutputDoesNotReplaceWhatAnInputMethodHasTypedSince() async throws {
    try await withTestTime { time in
      let field = self.slowField(time)
      await withRunning(field) {
        field.text.value = "もしもn"
        await time.idle()
        field.text.value = "もしもの"
        XCTAssertEqual(field.text.value, "もしもの")
        await time.advance(by: .seconds(1))
        XCTAssertEqual(field.outputText.value, "もしもn", "the output has come …")
        XCTAssertEqual(field.text.value, "もしもの", "… and the field keeps what was typed since")
        await time.advance(by: .seconds(1))
        XCTAssertEqual(field.outputText.value, "もしもの")
        XCTAssertEqual(field.text.value, "もしもの")
      }
    }
  }

  func test_whatIsTypedWhileNothingRunsIsShownAndFilteredLater() async throws {
    try await withTestTime { time in
      let field = TextFilterViewModel()
      let outputs = Probe(field.outputText)
      for text in ["new", "news", "newsp"] { field.text.value = text }
      await time.idle()
      XCTAssertEqual(field.text.value, "newsp")
      XCTAssertEqual(outputs.values, [""])
      await withRunning(field) { await time.idle() }
      XCTAssertEqual(outputs.values, ["", "news", "newsp"])
      XCTAssertEqual(field.text.value, "newsp")
    }
  }

  func test_aTextIsLookedAtOneAfterTheOther() async throws {
    try await withTestTime { time in
      let field = self.slowField(time)
      let outputs = Probe(field.outputText)
      await withRunning(field) {
        for text in ["first", "second", "third"] { field.inputText.send(text) }
        for seen in [[""], ["", "first"], ["", "first", "second"]] {
          await time.idle()
          XCTAssertEqual(outputs.values, seen)
          XCTAssertEqual(time.clock.sleeperCount, 1)
          XCTAssertTrue(field.isFiltering.value)
          await time.advance(by: .seconds(1))
        }
        XCTAssertEqual(outputs.values, ["", "first", "second", "third"])
        XCTAssertFalse(field.isFiltering.value)
      }
    }
  }

  /// One that looks at each text for a second, and lets it pass.
  private func slowField(_ time: TestTime) -> TextFilterViewModel {
    TextFilterViewModel { [clock = time.clock] _ in
      try? await clock.sleep(for: .seconds(1))
      return true
    }
  }
}
