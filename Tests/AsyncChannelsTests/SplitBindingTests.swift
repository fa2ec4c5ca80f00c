import AsyncChannels
import Observation
import TestSupport
import XCTest

/// Row: split binding. What its doc comment says, one rule after the other.
final class SplitBindingTests: XCTestCase {
  private let source = CurrentValue("")
  private let sent = Recorder<String>()
  private lazy var binding = SplitBinding(
    reading: source, writing: Inlet { [sent] in sent.record($0) })

  func test_itReadsTheSourceUntilSomethingIsWritten() {
    XCTAssertEqual(binding.value, "")
    source.value = "owner's"
    XCTAssertEqual(binding.value, "owner's")
    XCTAssertEqual(sent.all, [])
  }

  func test_whatIsWrittenIsReadBackAtOnceAndSentOnce() {
    for text in ["n", "ne", "new"] {
      binding.value = text
      XCTAssertEqual(binding.value, text)
    }
    XCTAssertEqual(source.value, "", "only the owner writes the source")
    XCTAssertEqual(sent.all, ["n", "ne", "new"])
  }

  func test_writingWhatIsReadAlreadySendsNothing() {
    binding.value = ""
    XCTAssertEqual(sent.all, [], "it was empty")
    binding.value = "new"
    binding.value = "new"
    XCTAssertEqual(sent.all, ["new"], "unanswered")
    source.value = "new"
    binding.value = "new"
    XCTAssertEqual(sent.all, ["new"], "answered")
    source.value = "owner's"
    binding.value = "owner's"
    XCTAssertEqual(sent.all, ["new"], "the owner's own")
    binding.value = "new"
    XCTAssertEqual(sent.all, ["new", "new"], "it was something else meanwhile")
  }

  func test_anAnswerToAnEarlierWriteIsPassedOver() {
    for text in ["a", "ab", "abc", "abcd"] { binding.value = text }
    for late in ["a", "ab", "abc"] {
      source.value = late
      XCTAssertEqual(binding.value, "abcd")
    }
    source.value = "abcd"
    XCTAssertEqual(binding.value, "abcd")
  }

  func test_anAnswerIsPassedOverHoweverOftenItIsReadMeanwhile() {
    binding.value = "a"
    binding.value = "ab"
    source.value = "a"
    for _ in 0..<10 { XCTAssertEqual(binding.value, "ab") }
    binding.value = "abc"
    XCTAssertEqual(binding.value, "abc")
    source.value = "ab"
    XCTAssertEqual(binding.value, "abc")
  }

  func test_lateAnswersThatNobodyReadDoNotHideTheLast() {
    for text in ["a", "ab", "abc"] { binding.value = text }
    source.value = "a"
    source.value = "ab"
    source.value = "abc"
    XCTAssertEqual(binding.value, "abc")
    source.value = "ABC"
    XCTAssertEqual(binding.value, "ABC")
  }

  func test_aCorrectedTextIsADecisionAndIsRead() {
    binding.value = "new text"
    source.value = "New Text"
    XCTAssertEqual(binding.value, "New Text")
    binding.value = "New Text!"
    XCTAssertEqual(binding.value, "New Text!")
    XCTAssertEqual(sent.all, ["new text", "New Text!"])
  }

  func test_anOwnersResetIsReadThoughAShortTextIsInTheField() {
    binding.value = "news"
    source.value = "news"
    binding.value = "ne"
    XCTAssertEqual(binding.value, "ne")
    source.value = ""
    XCTAssertEqual(binding.value, "")
    binding.value = "n"
    XCTAssertEqual(binding.value, "n")
    source.value = ""
    XCTAssertEqual(binding.value, "", "the source was empty already, and the owner says it again")
  }

  func test_aDecisionIsReadAfterLateAnswersToo() {
    binding.value = "a"
    binding.value = "ab"
    source.value = "a"
    XCTAssertEqual(binding.value, "ab")
    source.value = ""
    XCTAssertEqual(binding.value, "")
  }

  func test_aDecisionFromBeforeTheWriteIsOlderThanIt() {
    source.value = "owner's"
    binding.value = "mine"
    XCTAssertEqual(binding.value, "mine")
  }

  func test_afterADecisionTheEarlierWritesAreForgotten() {
    binding.value = "a"
    binding.value = "ab"
    source.value = ""
    XCTAssertEqual(binding.value, "")
    binding.value = "b"
    source.value = "a"
    XCTAssertEqual(binding.value, "a", "it is no answer to what was typed since")
  }

  func test_theNewest256UnansweredWritesAreRemembered() {
    let count = 10_000
    for number in 1...count { binding.value = "\(number)" }
    for late in (count - 255)...count {
      source.value = "\(late)"
      XCTAssertEqual(binding.value, "\(count)")
    }
    XCTAssertEqual(sent.all.count, count)
    source.value = "decided"
    XCTAssertEqual(binding.value, "decided")
  }

  func test_anAnswerToALongForgottenWriteIsReadAsADecision() {
    for number in 1...1_000 { binding.value = "\(number)" }
    source.value = "1"
    XCTAssertEqual(binding.value, "1")
  }

  func test_itWorksForOtherValuesThanTexts() {
    let volume = CurrentValue(5)
    let sent = Recorder<Int>()
    let binding = SplitBinding(reading: volume, writing: Inlet { sent.record($0) })
    binding.value += 1
    binding.value += 1
    XCTAssertEqual(binding.value, 7)
    volume.value = 6
    XCTAssertEqual(binding.value, 7)
    XCTAssertEqual(sent.all, [6, 7])
  }

  func test_observationIsToldOfWritesAndOfTheOwnersAnswers() {
    let told = Recorder<String>()
    track("written", told)
    binding.value = "a"
    XCTAssertEqual(told.all, ["written"])
    track("answered", told)
    source.value = "A"
    XCTAssertEqual(told.all, ["written", "answered"])
    track("untouched", told)
    binding.value = "A"
    XCTAssertEqual(told.all, ["written", "answered"], "nothing changed")
  }

  func test_whoIsToldByObservationReadsTheNewText() {
    let read = Recorder<String>()
    let binding = binding
    for change in [{ binding.value = "typed" }, { [source] in source.value = "decided" }] {
      withObservationTracking {
        _ = binding.value
      } onChange: {
        read.record(binding.value)
      }
      change()
    }
    XCTAssertEqual(read.all, ["typed", "decided"])
  }

  func test_itIsObservable() {
    func accept(_: some Observable & Sendable) {}
    accept(binding)
  }

  private func track(_ what: String, _ told: Recorder<String>) {
    withObservationTracking {
      _ = binding.value
    } onChange: {
      told.record(what)
    }
  }
}
