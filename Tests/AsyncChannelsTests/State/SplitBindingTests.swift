import Observation
import Synchronization
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

  /// What was passed over as a late answer is no news when some other part changes.
  func test_C116_whatIsTypedOutlivesAnotherChangeAfterALateAnswer() {
    let form = Form()
    form.text.value = "a"
    form.text.value = "ab"
    XCTAssertEqual(form.take(), "a")
    form.state.update { $0.text = "A" }
    XCTAssertEqual(form.take(), "ab")
    form.state.update { $0.other += 1 }
    XCTAssertEqual(form.text.value, "ab")
    form.state.update { $0.text = "AB" }
    XCTAssertEqual(form.text.value, "AB")
  }

  /// Another thread might publish at that moment.
  func test_C116_whatIsTypedOutlivesWhatIsPublishedWhenTheWriteBegins() {
    let form = Form()
    // So that the write reads it anew.
    form.state.update { $0.other += 1 }
    form.whenRead { form.state.update { $0.text = "older" } }
    form.text.value = "a"
    XCTAssertEqual(form.take(), "a")
    form.state.update { $0.other += 1 }
    XCTAssertEqual(form.text.value, "a")
    form.state.update { $0.text = "A" }
    XCTAssertEqual(form.text.value, "A")
  }

  /// Another thread might write at that moment.
  func test_C116_whatIsTypedOutlivesADecisionOnTheTextBefore() {
    let form = Form()
    form.text.value = "a"
    XCTAssertEqual(form.take(), "a")
    form.whenRead { form.text.value = "b" }
    form.state.update { $0.text = "A" }
    XCTAssertEqual(form.text.value, "b")
    XCTAssertEqual(form.take(), "b")
    form.state.update { $0.other += 1 }
    XCTAssertEqual(form.text.value, "b")
    form.state.update { $0.text = "B" }
    XCTAssertEqual(form.text.value, "B")
  }

  /// The write begins while the source is changed in place, and ends after that, or while it is changed again.
  func test_C116_whatIsTypedDuringAnUpdateOutlivesWhatThatLeaves() {
    for isChangedAgain in [false, true] {
      let (other, lines) = (CurrentValue(0), CurrentValue(["a"]))
      let input = Channel<String>()
      let received = input.outlet.subscribe()
      let (isReading, hasRead) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let (isChanging, isWritten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let isFirst = Atomic(false)
      let parts = StateOutlet.combine(
        other.outlet.map { number in
          isReading.signal()
          return number
        }, lines.outlet)
      let last = parts.map { _, lines in
        if isChangedAgain, isFirst.exchange(false, ordering: .relaxed) {
          hasRead.signal()
          isChanging.wait()
        }
        return lines.last ?? ""
      }
      let text = SplitBinding(reading: last, writing: input.inlet)
      isReading.wait()
      isFirst.store(true, ordering: .relaxed)
      // What is known is not right any more: so it is read again.
      other.value += 1
      lines.update { lines in
        Thread.detachNewThread {
          text.value = "typed"
          isWritten.signal()
        }
        isReading.wait()
        lines.append("older")
      }
      if isChangedAgain {
        hasRead.wait()
        lines.update { lines in
          isChanging.signal()
          isWritten.wait()
          XCTAssertEqual(received.takeNow().element, "typed")
          lines.append("decided")
        }
      } else {
        isWritten.wait()
        XCTAssertEqual(received.takeNow().element, "typed")
        other.value += 1
        XCTAssertEqual(text.value, "typed")
        lines.update { $0.append("decided") }
      }
      XCTAssertEqual(text.value, "decided")
    }
  }

  func test_C116_aSubscriberThatLeavesOwesNothing() {
    let volume = CurrentValue(5)
    let input = Channel<Int>()
    let binding = SplitBinding(reading: volume.outlet, writing: input.inlet)
    let received = input.outlet.subscribe()
    do {
      let other = input.outlet.subscribe()
      binding.value = 6
      XCTAssertEqual(received.takeNow().element, 6)
      volume.value = 7
      XCTAssertEqual(binding.value, 6, "the other has not taken it")
      withExtendedLifetime(other) {}
    }
    volume.value = 8
    XCTAssertEqual(binding.value, 8)
  }

  /// The input is followed until the newest write of each binding was taken, and sends and takes on the fast path
  /// otherwise.
  func test_C116_nothingIsLeftOfWritesInTheInput() {
    let owner = Owner()
    func count() -> Int { owner.input.log.observers.count }
    for text in ["a", "ab", "abc"] { owner.text.value = text }
    XCTAssertEqual(count(), 1)
    do {
      let other = SplitBinding(reading: owner.output.outlet, writing: owner.input.inlet)
      other.value = "other"
      XCTAssertEqual(count(), 2)
    }
    XCTAssertEqual(count(), 1, "of the binding that is left")
    while owner.take() != "abc" {}
    XCTAssertEqual(count(), 0)
    owner.text.value = "abcd"
    XCTAssertEqual(count(), 1)
    owner.output.value = "late"
    XCTAssertEqual(count(), 1)
    owner.decide("ABC")
    XCTAssertEqual(count(), 0)
  }

  /// Its element is in the input twice, and another sender's comes before it.
  func test_C116_whatIsSentWithAWriteIsWaitedForToo() {
    let (input, output) = (Channel<String>(), CurrentValue(""))
    let received = input.outlet.subscribe()
    let text = SplitBinding(
      reading: output.outlet,
      writing: input.inlet.contramap { (text: String) in
        input.send("other")
        return text
      })
    text.value = "a"
    XCTAssertEqual(received.takeNow().element, "other")
    output.value = "b"
    XCTAssertEqual(text.value, "a")
    XCTAssertEqual(received.takeNow().element, "a")
    output.value = "A"
    XCTAssertEqual(text.value, "A")
  }

  /// The owner publishes before the write is sent, and decides before the write has returned.
  func test_C116_aDecisionThatComesWhileTheWriteIsSentIsRead() {
    for policy in [BufferingPolicy.unbounded, .bufferingNewest(2)] {
      let (input, output) = (Channel<String>(), CurrentValue(""))
      let received = input.outlet.subscribe(buffering: policy)
      let inlet: Inlet<String> = input.inlet.makeInlet(function: "", fileID: "") { text in
        output.value = "late"
        input.send(text)
        XCTAssertEqual(received.takeNow().element, text)
        output.value = text.uppercased()
        return .sent(subscribers: 1)
      }
      let text = SplitBinding(reading: output.outlet, writing: inlet)
      text.value = "a"
      XCTAssertEqual(text.value, "A")
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

  /// C116: a row that is chosen later decides, too.
  func test_itHearsOfStateThatItsSourceChoosesLater() {
    let rows = [CurrentValue("a"), CurrentValue("b")]
    for source in [
      { $0.outlet.flatMap { rows[$0].outlet } },
      { chosen in StateOutlet(tracking: { rows[chosen.value].value }) },
    ] as [(CurrentValue<Int>) -> StateOutlet<String>] {
      let (chosen, input) = (CurrentValue(0), Channel<String>())
      let received = input.outlet.subscribe()
      (rows[0].value, rows[1].value) = ("a", "b")
      let text = SplitBinding(reading: source(chosen), writing: input.inlet)
      text.value = "typed"
      chosen.value = 1
      XCTAssertEqual(text.value, "typed", "it is not taken yet")
      XCTAssertEqual(received.takeNow().element, "typed")
      rows[0].value = "not chosen any more"
      XCTAssertEqual(text.value, "typed")
      rows[1].value = "decided"
      XCTAssertEqual(text.value, "decided")
      text.value = "again"
      XCTAssertEqual(received.takeNow().element, "again")
      chosen.value = 0
      XCTAssertEqual(text.value, "not chosen any more", "the choice is a decision")
    }
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

/// An owner whose text is one part of its state.
private final class Form: Sendable {
  let state = CurrentValue((text: "", other: 0))
  let text: SplitBinding<String>
  private let input = Channel<String>()
  private let received: Subscription<String>
  private let hook = Hook()

  init() {
    received = input.outlet.subscribe()
    let source = state.outlet.map { [hook] form in
      hook.run()
      return form.text
    }
    text = SplitBinding(reading: source, writing: input.inlet)
  }

  func take() -> String? { received.takeNow().element }

  /// Called once, when the text is computed next.
  func whenRead(_ body: @escaping @Sendable () -> Void) { hook.set(body) }
}

private final class Hook: Sendable {
  private let body = Locked<(@Sendable () -> Void)?>(nil)

  func set(_ new: @escaping @Sendable () -> Void) { body.withLock { $0 = new } }

  func run() { body.withLock { $0.take() }?() }
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
