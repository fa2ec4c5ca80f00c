import AsyncChannels
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
