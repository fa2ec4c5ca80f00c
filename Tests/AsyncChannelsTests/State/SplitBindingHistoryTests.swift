import Observation
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// C116: random histories of a field, its owner, another sender and another part of the owner's state,
/// against a model of what the doc comment says.
final class SplitBindingHistoryTests: XCTestCase {
  func test_C116_whatIsReadFollowsTheModelInRandomHistories() {
    for seed in 0..<(Length.isFull ? 3_000 : 100) {
      for isDerived in [false, true] {
        var history = History(seed: UInt64(seed), isDerived: isDerived)
        for _ in 0..<40 { history.step() }
        guard history.failure == nil else {
          return XCTFail("seed \(seed), derived: \(isDerived): \(history.failure ?? "")")
        }
      }
    }
  }

  /// A field and an owner that answers what it takes, with a plain state and one whose closure takes time.
  func test_C116_nothingOlderIsReadThanWasWritten() async throws {
    for isDerived in [false, true] {
      let input = Channel<Int>()
      let received = input.outlet.subscribe()
      let state = CurrentValue((value: 0, other: 0))
      let plain = CurrentValue(0)
      let source = isDerived ? state.outlet.map { $0.value } : plain.outlet
      let binding = SplitBinding(reading: source, writing: input.inlet)
      let owner = Task.detached {
        for await value in received {
          if isDerived { state.update { $0.other += 1 } }
          if isDerived { state.update { $0.value = value } } else { plain.value = value }
        }
      }
      var older = 0
      let rounds = Length.rounds(20_000)
      for round in 1...rounds {
        binding.value = round
        for _ in 0..<3 where binding.value != round { older += 1 }
      }
      XCTAssertEqual(older, 0)
      input.finish()
      try await within { await owner.value }
      XCTAssertEqual(binding.value, rounds)
      XCTAssertEqual(source.value, rounds)
    }
  }

  func test_C116_aWriteInsideAnUpdateOfAnotherPartTouchesNothing() {
    let total = CurrentValue([Int]())
    let text = CurrentValue("")
    let input = Channel<String>()
    let received = input.outlet.subscribe()
    let shown = StateOutlet.combine(total.outlet, text.outlet).map { "\($0.count): \($1)" }
    let binding = SplitBinding(reading: shown, writing: input.inlet)
    binding.value = "typed"
    XCTAssertEqual(received.takeNow().element, "typed")
    total.update {
      $0.append(1)
      text.value = "changed"
    }
    XCTAssertEqual(binding.value, "1: changed")
  }

  func test_C116_aPublicationRunsTheSourceOnceWhateverWasWritten() {
    let state = CurrentValue(0)
    let input = Channel<Int>()
    let runs = Atomic(0)
    let source = state.outlet.map { number in
      runs.add(1, ordering: .relaxed)
      return number
    }
    let binding = SplitBinding(reading: source, writing: input.inlet)
    let received = input.outlet.subscribe()
    for number in 1...500 {
      binding.value = number
      _ = binding.value
    }
    let before = runs.load(ordering: .relaxed)
    state.value = -1
    XCTAssertEqual(runs.load(ordering: .relaxed) - before, 1)
    while received.takeNow().element != nil {}
    state.value = 500
    XCTAssertEqual(binding.value, 500)
    let after = runs.load(ordering: .relaxed)
    state.value = 501
    XCTAssertEqual(runs.load(ordering: .relaxed), after, "nothing waits for an answer")
  }

  /// The closure of a derived source runs while a publication is judged. What it writes is newer than that.
  func test_C116_aWriteThatComesWhileAPublicationIsJudgedOutlivesIt() {
    let (state, input, interruption) = (CurrentValue(""), Channel<String>(), Interruption())
    let received = input.outlet.subscribe()
    let binding = SplitBinding(
      reading: state.outlet.map(interruption.passing), writing: input.inlet)
    binding.value = "a"
    XCTAssertEqual(received.takeNow().element, "a")
    interruption.come(atRun: 1) { binding.value = "ab" }
    state.value = "A"
    XCTAssertEqual(binding.value, "ab")
    XCTAssertEqual(received.takeNow().element, "ab")
    state.value = "AB"
    XCTAssertEqual(binding.value, "AB")
  }

  /// While the binding looks at its source, before it writes, the owner publishes.
  func test_C116_whatIsPublishedWhileAWriteBeginsIsNoAnswerToIt() {
    let (state, input, interruption) = (CurrentValue("a"), Channel<String>(), Interruption())
    let received = input.outlet.subscribe()
    let binding = SplitBinding(
      reading: state.outlet.map(interruption.passing), writing: input.inlet)
    state.value = "a"
    interruption.come(atRun: 1) { state.value = "b" }
    binding.value = "x"
    XCTAssertEqual(received.takeNow().element, "x")
    state.value = "b"
    XCTAssertEqual(binding.value, "x", "it was \"b\" before the write was taken")
    state.value = "X"
    XCTAssertEqual(binding.value, "X")
  }

  func test_C116_aPublicationIsComparedWithALateAnswerToAnEarlierWrite() {
    let (state, other, input) = (CurrentValue("a"), CurrentValue(0), Channel<String>())
    let received = input.outlet.subscribe()
    let source = StateOutlet.combine(state.outlet, other.outlet).map { text, _ in text }
    let binding = SplitBinding(reading: source, writing: input.inlet)
    binding.value = "x"
    state.value = "b"
    XCTAssertEqual(binding.value, "x", "it was not taken")
    XCTAssertEqual(received.takeNow().element, "x")
    other.value = 1
    XCTAssertEqual(binding.value, "x", "it was \"b\" before the write was taken")
    state.value = "X"
    XCTAssertEqual(binding.value, "X")
  }

  func test_C116_aBindingThatIsGoneTakesNoOtherWithIt() {
    let (state, input) = (CurrentValue(""), Channel<String>())
    let received = input.outlet.subscribe()
    let binding = SplitBinding(reading: state.outlet, writing: input.inlet)
    do {
      let other = SplitBinding(reading: state.outlet, writing: input.inlet)
      XCTAssertEqual(other.value, "")
    }
    binding.value = "a"
    XCTAssertEqual(received.takeNow().element, "a")
    state.value = "A"
    XCTAssertEqual(binding.value, "A")
  }

  func test_C116_aBindingThatIsGoneIsToldNothing() {
    let state = CurrentValue(0)
    let runs = Atomic(0)
    let source = state.outlet.map { number in
      runs.add(1, ordering: .relaxed)
      return number
    }
    let input = Channel<Int>()
    do {
      let binding = SplitBinding(reading: source, writing: input.inlet)
      binding.value = 1
    }
    let before = runs.load(ordering: .relaxed)
    state.value = 2
    XCTAssertEqual(runs.load(ordering: .relaxed), before)
  }
}

/// Something that comes while a closure of derived state runs, as another thread may come.
private final class Interruption: Sendable {
  private let next = Mutex<(run: Int, body: @Sendable () -> Void)?>(nil)

  /// - Parameter run: Which of the closure's runs from now on.
  func come(atRun run: Int, _ body: @escaping @Sendable () -> Void) {
    next.withLock { $0 = (run, body) }
  }

  func passing(_ text: String) -> String {
    let body = next.withLock { next -> (@Sendable () -> Void)? in
      next?.run -= 1
      return next?.run == 0 ? next.take()?.body : nil
    }
    body?()
    return text
  }
}

/// One history: the model beside the binding.
private struct History {
  private var random: SplitMix64
  private let isDerived: Bool
  private let state = CurrentValue((text: 0, other: 0))
  private let plain = CurrentValue(0)
  private let input = Channel<Int?>()
  private let received: Subscription<Int?>
  private let binding: SplitBinding<Int>
  /// The model: what is published, what waits, and the draft with how many elements are before it.
  private var published = 0
  private var sent = 0
  private var taken = 0
  private var draft: (value: Int, number: Int)?
  private(set) var failure: String?
  private var log: [String] = []

  init(seed: UInt64, isDerived: Bool) {
    random = SplitMix64(seed: seed)
    self.isDerived = isDerived
    received = input.outlet.subscribe(
      buffering: seed.isMultiple(of: 4) ? .bufferingNewest(100) : .unbounded)
    binding = SplitBinding(
      reading: isDerived ? state.outlet.map(\.text) : plain.outlet,
      writing: input.inlet.contramap { $0 })
    isBounded = seed.isMultiple(of: 4)
  }

  private let isBounded: Bool
  private var shown: Int { draft?.value ?? published }

  mutating func step() {
    let before = shown
    let told = Atomic(false)
    withObservationTracking {
      _ = binding.value
    } onChange: {
      told.store(true, ordering: .relaxed)
    }
    act()
    if binding.value != shown {
      failure = failure ?? "\(log.joined(separator: ", ")): read \(binding.value), not \(shown)"
    }
    if shown != before, !told.load(ordering: .relaxed) {
      failure = failure ?? "\(log.joined(separator: ", ")): the observer was not told"
    }
  }

  private mutating func act() {
    let value = Int(random.next() % 4)
    switch random.next() % 8 {
    case 0, 1, 2:
      log.append("write \(value)")
      if shown != value {
        draft = (value, sent)
        sent += 1
      }
      binding.value = value
    case 3:
      log.append("another sender")
      input.send(nil)
      sent += 1
    case 4, 5:
      log.append("take")
      if received.takeNow().element != nil { taken += 1 }
    case 6:
      log.append("publish \(value)")
      publish(value)
    default:
      log.append("another part")
      if isDerived { state.update { $0.other += 1 } }
    }
  }

  private mutating func publish(_ value: Int) {
    let isPublication = !isDerived || value != published
    published = value
    // Of a bounded subscriber it is known only whether anything waits.
    if let number = draft?.number, isPublication, isBounded ? taken == sent : taken > number {
      draft = nil
    }
    if isDerived { state.update { $0.text = value } } else { plain.value = value }
  }
}
