import AsyncChannelsRecording
import AsyncChannelsRunning
import AsyncChannelsTesting
import TestSupport
import XCTest

/// C135–C137: gates, inlets that read their own state, and finishing.
@MainActor
final class GateTests: XCTestCase {
  func test_C135a_anInletSendsWhileItsStateIsTrue() async throws {
    let (input, isOpen) = (Input<Int>(), CurrentValue(false))
    let inlet = input.inlet.when(isOpen.outlet)
    XCTAssertEqual(inlet.send(1), .refused(1))
    XCTAssertEqual(input.received.pendingCount, 0)
    isOpen.value = true
    XCTAssertEqual(inlet.send(2), .sent(subscribers: 1))
    isOpen.value = false
    XCTAssertEqual(inlet.send(3), .refused(3))
    assertEqual(await input.received.next(), 2)
    isOpen.value = true
    input.finish()
    XCTAssertEqual(inlet.send(4), .finished(4))
  }

  func test_C135b_derivedInletsPassTheRefusalOn() {
    let gate = Input<Int>().inlet.when(.constant(false))
    XCTAssertEqual(gate.contramap { (text: String) in text.count }.send("a"), .refused("a"))
    XCTAssertEqual(gate.compactContramap { (text: String) in Int(text) }.send("1"), .refused("1"))
    XCTAssertEqual(
      gate.compactContramap { (text: String) in Int(text) }.send("a"), .sent(subscribers: 0))
  }

  func test_C135c_aRecordingShowsWhatIsRefused() {
    let form = FormViewModel()
    let (recording, other) = (Recording(of: form), Recording(of: FormViewModel()))
    let lines = Record<String>()
    let writing = recording.lines(as: "form") {
      lines.add($0)
      return true
    }
    form.add.contramap { (number: Int) in "\(number)" }.send(1)
    form.close(form.add).send("Ann")
    form.count.send(2)
    form.canAdd = true
    form.add.send("Bob")
    XCTAssertEqual(
      recording.text(legend: false),
      """
      FormViewModel
      additions  canAdd  add  when  count
      │          │       ●    │     │      #1 "1"
      │          │       ⊘    │     │      #1 refused
      │          │       │    ●     │      #2 "Ann"
      │          │       │    ⊘     │      #2 refused
      │          │       │    │     ●      #3 2
      │          │       │    │     ⊘      #3 refused
      │          ●       │    │     │      #4 true
      ●──────────────────○    │     │      #5 "Bob"

      """)
    XCTAssertTrue(recording.text().contains("⊘ refused"))
    XCTAssertTrue(recording.svg().contains("add: #1 refused"))
    XCTAssertTrue(recording.mermaid().contains("35;1 refused"))
    XCTAssertEqual(
      recording.marbles(legend: false),
      """
      additions  ─────────────────────────#5─
      canAdd     ──────────────────────#4────
      add        ─#1─⊘#1──────────────────○──
      when       ────────#2─⊘#2──────────────
      count      ───────────────#3─⊘#3───────

      """)
    XCTAssertFalse(other.text().contains("refused"), other.text())
    recording.flush()
    let sent = lines.events.joined().split(separator: "\n").filter { $0.contains("\"in\":3") }
    XCTAssertEqual(sent.count, 2)
    for part in ["\"e\":\"sent\"", "\"to\":0"] {
      XCTAssertTrue(sent.first?.contains(part) == true, "\(sent)")
    }
    XCTAssertTrue(sent.last?.contains("\"e\":\"refused\",\"of\":0") == true, "\(sent)")
    writing.cancel()
  }

  /// A gate that is refused replies nothing, so an asker is not kept waiting.
  func test_C135a_askingAClosedGateGivesNil() async {
    let questions = Input<Request<Int, Int>>()
    assertEqual(await questions.inlet.when(.constant(false)).ask(1), nil)
  }

  func test_C136_anInletMayReadWhatIsDerivedFromItsOwnState() async throws {
    let wizard = WizardViewModel()
    for _ in 1...5 { wizard.next.send() }
    XCTAssertEqual(wizard.step, 3)
    let both = StateOutlet.combine(wizard.$step, wizard.canGoNext)
    let seen = Record<Int>()
    let inlet = wizard.set { value, new in
      seen.add(both.value.0)
      value = new
      seen.add(both.value.0)
    }
    inlet.send(7)
    XCTAssertEqual(seen.events, [3, 3], "The state as it is before the change.")
    XCTAssertEqual(wizard.step, 7)
  }

  func test_C137_whatHasBeenSentIsWorkedOnToItsEnd() async throws {
    try await withTestTime(orders: .random(20, seed: 137)) { time in
      for overlap in Overlap.allCases {
        let (state, attempts, answers) = (CurrentValue(0), Record<Int>(), Record<Int>())
        let run = Task { [clock = time.clock] in
          await state.outlet.answer(
            OverlapRule(overlap), debounce: .seconds(9), clock: clock,
            retry: .exponential(from: .seconds(1), upTo: .seconds(1))
          ) { number in
            attempts.add(number)
            try await clock.sleep(for: .seconds(1))
            if attempts.count < 3 { throw CancellationError() }
          } publish: { number, _ in
            answers.add(number)
          }
        }
        await time.idle()
        state.value = 1
        state.finish()
        await time.advance(by: .seconds(5))
        XCTAssertEqual(attempts.events, [1, 1, 1], "\(overlap): it begins immediately.")
        XCTAssertEqual(answers.events, [1], "\(overlap)")
        await run.value
      }
    }
  }
}

@MainActor
private final class FormViewModel {
  @Input private var additions: Inlet<String>
  @CurrentValue private var total = 0
  @CurrentValue var canAdd = false

  var add: Inlet<String> { additions.when($canAdd) }
  var count: Inlet<Int> { _total.inlet.when($canAdd.map { $0 }) }

  func close(_ inlet: Inlet<String>) -> Inlet<String> { additions.when(.constant(false)) }
}

@MainActor
private final class WizardViewModel {
  @CurrentValue private(set) var step = 0

  var canGoNext: StateOutlet<Bool> { $step.map { $0 < 3 } }
  var next: Inlet<Void> {
    _step.inlet { [canGoNext] step, _ in if canGoNext.value { step += 1 } }
  }

  func set(_ change: @escaping @Sendable (inout Int, Int) -> Void) -> Inlet<Int> {
    _step.inlet(updating: change)
  }
}
