import Observation
import TestSupport
import XCTest

@testable import AsyncChannels

/// Row: split binding. What its doc comment says, one rule after the other.
final class SplitBindingTests: XCTestCase {
  func test_itReadsTheSourceUntilSomethingIsWritten() {
    let owner = Owner()
    XCTAssertEqual(owner.text.value, "")
    owner.output.value = "owner's"
    XCTAssertEqual(owner.text.value, "owner's")
    XCTAssertNil(owner.take())
  }

  func test_whatIsWrittenIsReadBackImmediatelyAndSentOnce() {
    let owner = Owner()
    for text in ["n", "ne", "new"] {
      owner.text.value = text
      XCTAssertEqual(owner.text.value, text)
    }
    XCTAssertEqual(owner.output.value, "", "only the owner writes the source")
    XCTAssertEqual(
      [owner.take(), owner.take(), owner.take(), owner.take()], ["n", "ne", "new", nil])
  }

  func test_writingWhatIsReadAlreadySendsNothing() {
    let owner = Owner()
    owner.text.value = ""
    XCTAssertNil(owner.take(), "it was empty")
    owner.text.value = "new"
    owner.text.value = "new"
    XCTAssertEqual([owner.take(), owner.take()], ["new", nil], "unanswered")
    owner.output.value = "new"
    owner.text.value = "new"
    XCTAssertNil(owner.take(), "answered")
    owner.output.value = "owner's"
    owner.text.value = "owner's"
    XCTAssertNil(owner.take(), "the owner's own")
    owner.text.value = "new"
    XCTAssertEqual(owner.take(), "new", "it was something else meanwhile")
  }

  /// Whatever the owner makes of the texts, and whether anybody reads meanwhile or not.
  func test_answersToEarlierWritesArePassedOver() {
    let owners: [(String) -> String] = [
      { $0 }, { $0.uppercased() }, { String($0.prefix(2)) }, { _ in "" },
    ]
    for answer in owners {
      for reads in [true, false] {
        let owner = Owner()
        for text in ["a", "ab", "abc", "abcd"] { owner.text.value = text }
        while let text = owner.take() {
          owner.output.value = answer(text)
          if reads { XCTAssertEqual(owner.text.value, text == "abcd" ? answer(text) : "abcd") }
        }
        XCTAssertEqual(owner.text.value, answer("abcd"))
      }
    }
  }

  func test_anOwnerThatPublishesNothingLeavesTheFieldAsItWasTyped() {
    let owner = Owner()
    for text in ["cat", "cats", "cat", "ca", "c"] {
      owner.text.value = text
      if owner.take() == "cats" { owner.output.value = "cats" }
      XCTAssertEqual(owner.text.value, text)
    }
    owner.output.value = "cat"
    XCTAssertEqual(owner.text.value, "cat", "a suggestion that equals an earlier text was chosen")
  }

  func test_anAnswerThatCameWhileALaterWriteWaitedIsNotTakenForADecisionLater() {
    let owner = Owner()
    owner.text.value = "cats"
    owner.text.value = "cat"
    XCTAssertEqual(owner.take(), "cats")
    owner.output.value = "cats"
    XCTAssertEqual(owner.take(), "cat")
    XCTAssertEqual(
      owner.text.value, "cat", "the deletion was undone by an answer to what was before")
    owner.output.value = ""
    XCTAssertEqual(owner.text.value, "")
  }

  func test_anOwnerThatKeepsTheLastGoodTextIsRead() {
    let owner = Owner()
    owner.text.value = "12"
    owner.text.value = "12x"
    var good = ""
    while let text = owner.take() {
      if text.allSatisfy(\.isNumber) { good = text }
      owner.output.value = good
    }
    XCTAssertEqual(owner.text.value, "12")
  }

  func test_anOwnersResetIsReadThoughAShortTextIsInTheField() {
    let owner = Owner()
    owner.text.value = "ne"
    XCTAssertEqual(owner.take(), "ne")
    owner.output.value = ""
    XCTAssertEqual(owner.text.value, "", "the source was empty already, and the owner repeats it")
  }

  func test_aDecisionFromBeforeTheWriteIsOlderThanIt() {
    let owner = Owner()
    owner.output.value = "owner's"
    owner.text.value = "mine"
    XCTAssertEqual(owner.take(), "mine")
    XCTAssertEqual(owner.text.value, "mine")
  }

  /// Typed, added to, and the addition taken back, while the owner is slow.
  func test_aTextThatIsTypedAgainIsNotReplacedByTheLateAnswerInBetween() {
    let owner = Owner()
    for text in ["news", "newsx", "news"] { owner.text.value = text }
    while let text = owner.take() {
      owner.output.value = text
      XCTAssertEqual(owner.text.value, "news")
    }
  }

  func test_aBoundedInputIsWaitedForToo() {
    let owner = Owner(buffering: .bufferingNewest(1))
    for text in ["a", "ab", "abc"] { owner.text.value = text }
    owner.output.value = "A"
    XCTAssertEqual(owner.text.value, "abc")
    XCTAssertEqual(owner.take(), "abc")
    owner.output.value = "ABC"
    XCTAssertEqual(owner.text.value, "ABC")
  }

  func test_anInputThatSharesAChannelWithOthersIsWaitedForToo() {
    let commands = Channel<(String, Bool)>()
    let received = commands.outlet.subscribe()
    let output = CurrentValue("")
    let text = SplitBinding(
      reading: output.outlet, writing: commands.inlet.contramap { ($0, true) })
    text.value = "a"
    text.value = "ab"
    _ = received.takeNow()
    output.value = "A"
    XCTAssertEqual(text.value, "ab")
    _ = received.takeNow()
    output.value = "AB"
    XCTAssertEqual(text.value, "AB")
  }

  func test_C116_aWriteThatItsInletDoesNotSendOnCountsAsTaken() {
    let (input, output) = (Channel<String>(), CurrentValue(""))
    let received = input.outlet.subscribe()
    let text = SplitBinding(
      reading: output.outlet, writing: input.inlet.compactContramap { $0 == "x" ? nil : $0 })
    text.value = "x"
    XCTAssertEqual(text.value, "x")
    input.send("another's")
    output.value = "y"
    XCTAssertEqual(text.value, "y")
    input.finish()
    text.value = "z"
    XCTAssertEqual(text.value, "z")
    output.value = "y"
    XCTAssertEqual(text.value, "y")
    XCTAssertEqual(received.takeNow().element, "another's")
  }

  /// What it leaves behind is still being destroyed, and that writes.
  func test_C116_aSubscriberThatHasLeftIsNotWaitedFor() {
    let (input, output, census) = (Channel<Tracked>(), CurrentValue(""), Census())
    let text = SplitBinding(
      reading: output.outlet,
      writing: input.inlet.contramap { (_: String) in Tracked(0, in: census) })
    var received: Subscription<Tracked>? = input.outlet.subscribe()
    input.send(
      Tracked(1, in: census) {
        text.value = "typed"
        output.value = "decided"
      })
    input.send(Tracked(2, in: census))
    XCTAssertEqual(received?.pendingCount, 2)
    received = nil
    XCTAssertEqual(census.count, 0)
    XCTAssertEqual(text.value, "decided")
  }

  func test_C116_aDecisionOnAnotherBindingOfTheSameInputIsNoneOnThisOne() {
    let input = Channel<String>()
    let received = input.outlet.subscribe()
    let (output, otherOutput) = (CurrentValue(""), CurrentValue(""))
    let other = SplitBinding(reading: otherOutput.outlet, writing: input.inlet)
    let text = SplitBinding(
      reading: output.outlet,
      writing: input.inlet.contramap { (text: String) in
        otherOutput.value = "decided"
        return text
      })
    other.value = "b"
    XCTAssertEqual(received.takeNow().element, "b")
    text.value = "a"
    XCTAssertEqual(other.value, "decided")
    output.value = "late"
    XCTAssertEqual(text.value, "a")
    XCTAssertEqual(received.takeNow().element, "a")
    output.value = "A"
    XCTAssertEqual(text.value, "A")
  }

  /// A function has an element when it was called: what it publishes meanwhile is its decision.
  func test_aFunctionAnswersImmediately() {
    let output = CurrentValue("")
    let text = SplitBinding(
      reading: output.outlet, writing: Inlet { output.value = String($0.prefix(3)) })
    for (typed, shown) in [("a", "a"), ("abcd", "abc"), ("abcx", "abc"), ("b", "b")] {
      text.value = typed
      XCTAssertEqual(text.value, shown)
    }
  }

  /// Another part of the state changes, which is no decision on this one.
  func test_whatIsTypedOutlivesAChangeOfSomeOtherPartOfTheOwnersState() {
    let form = CurrentValue((name: "Ann", email: ""))
    let input = Channel<String>()
    let received = input.outlet.subscribe()
    for name in [form.outlet.map(\.name), form.outlet.map(\.name).removeDuplicates()] {
      form.value = ("Ann", "")
      let text = SplitBinding(reading: name, writing: input.inlet)
      text.value = "Anna"
      XCTAssertEqual(received.takeNow().element, "Anna")
      for number in 0..<3 {
        form.update { $0.email = "\(number)" }
        XCTAssertEqual(text.value, "Anna")
      }
      form.update { $0.name = "Bob" }
      XCTAssertEqual(text.value, "Bob")
    }
  }

  func test_itReadsDerivedStateToo() {
    let owner = Owner()
    let count = CurrentValue(0)
    let text = SplitBinding(
      reading: StateOutlet.combine(owner.output.outlet, count.outlet).map { "\($0)\($1)" },
      writing: owner.input.inlet)
    XCTAssertEqual(text.value, "0")
    text.value = "typed"
    XCTAssertEqual(owner.take(), "typed")
    XCTAssertEqual(text.value, "typed")
    count.value = 1
    XCTAssertEqual(text.value, "1")
  }

  func test_itWorksForOtherValuesThanTexts() {
    let volume = CurrentValue(5)
    let input = Channel<Int>()
    let received = input.outlet.subscribe()
    let binding = SplitBinding(reading: volume.outlet, writing: input.inlet)
    binding.value += 1
    binding.value += 1
    XCTAssertEqual(binding.value, 7)
    XCTAssertEqual(received.takeNow().element, 6)
    volume.value = 6
    XCTAssertEqual(binding.value, 7)
  }

  func test_observationIsToldOfWritesAndOfTheOwnersAnswers() {
    let owner = Owner()
    let told = Record<String>()
    func track(_ what: String) {
      withObservationTracking {
        _ = owner.text.value
      } onChange: {
        told.add(what)
      }
    }
    track("written")
    owner.text.value = "a"
    XCTAssertEqual(told.events, ["written"])
    XCTAssertEqual(owner.take(), "a")
    track("answered")
    owner.output.value = "A"
    XCTAssertEqual(told.events, ["written", "answered"])
    track("untouched")
    owner.text.value = "A"
    XCTAssertEqual(told.events, ["written", "answered"], "nothing changed")
  }

  func test_anObserverThatIsToldReadsTheNewText() {
    let owner = Owner()
    let read = Record<String>()
    let text = owner.text
    for change in [{ text.value = "typed" }, { [owner] in owner.decide("decided") }] {
      withObservationTracking {
        _ = text.value
      } onChange: {
        read.add(text.value)
      }
      change()
    }
    XCTAssertEqual(read.events, ["typed", "decided"])
  }

  /// A main-actor field and an owner elsewhere: when all has come to rest, the field shows what the
  /// owner holds, whose answer to the last text is its last publication.
  @MainActor
  /// It may have read what one of the others changes: the end of a draft.
  func test_anObserverThatIsAddedWhileOthersAreToldIsTold() {
    let (state, told) = (CurrentValue(0), Record<Int>())
    state.observed.add(
      StateFollower(id: ObjectIdentifier(told)) {
        told.add(1)
        state.observed.add(StateFollower(id: ObjectIdentifier(state)) { told.add(2) })
      })
    state.value = 1
    XCTAssertEqual(told.events, [1, 2])
  }

  func test_howeverFastIsTypedTheFieldShowsInTheEndWhatTheOwnerHolds() async throws {
    for _ in 0..<200 {
      let owner = Owner()
      let work = Task.detached {
        for await text in owner.received { owner.output.value = String(text.prefix(4)) }
      }
      for length in 1...20 {
        owner.text.value = String(repeating: "x", count: length)
        if length.isMultiple(of: 3) { await Task.yield() }
      }
      owner.text.value = "last text"
      try await until("the field shows \"last\"") { owner.text.value == "last" }
      work.cancel()
      await work.value
      XCTAssertEqual(owner.text.value, owner.output.value)
    }
  }

  func test_itKeepsNeitherTheOwnersStateNorItsChannelAlive() {
    var owner: Owner? = Owner()
    weak let (output, input) = (owner?.output, owner?.input)
    let text = owner?.text
    text?.value = "a"
    owner = nil
    XCTAssertNil(output)
    XCTAssertNil(input)
    text?.value = "b"
    XCTAssertEqual(text?.value, "b")
  }

  func test_itIsObservable() {
    func accept(_: some Observable & Sendable) {}
    accept(Owner().text)
  }
}

/// Takes an input when a test says so, and publishes what the test says.
private final class Owner: Sendable {
  let input: Channel<String>
  let received: Subscription<String>
  let output = CurrentValue("")
  let text: SplitBinding<String>

  init(buffering policy: BufferingPolicy = .unbounded) {
    input = Channel(buffering: policy)
    received = input.outlet.subscribe()
    text = SplitBinding(reading: output.outlet, writing: input.inlet)
  }

  func take() -> String? { received.takeNow().element }

  func decide(_ text: String) {
    while take() != nil {}
    output.value = text
  }
}
