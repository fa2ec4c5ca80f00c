import AsyncChannelsRunning
import AsyncChannelsTesting
import TestSupport
import XCTest

/// C130: what is derived from an input is an input.
@MainActor
final class AnswerFilteredTests: XCTestCase {
  func test_C130a_aFilteredInputKeepsWhatWaitsForThePauseOfACancelledCall() async throws {
    try await withTestTime(orders: .random(10, seed: 130)) { time in
      let derivations: [@Sendable (Subscription<Int>) -> Subscription<Int>] = [
        { $0.filter { $0 > 0 } }, { $0.map { $0 } }, { $0.compactMap { $0 > 0 ? $0 : nil } },
        { $0.removeDuplicates() },
      ]
      for (number, derived) in derivations.enumerated() {
        let (input, published) = (Input<Int>(), Record<Int>())
        for run in 1...2 {
          let call = Task { [clock = time.clock] in
            await derived(input.received)
              .answer(.latestOnly, debounce: .seconds(1), clock: clock, by: { $0 }) {
                published.add($1)
              }
          }
          if run == 1 { input.inlet.send(1) }
          await time.advance(by: run == 1 ? .milliseconds(999) : .seconds(1))
          call.cancel()
          await call.value
        }
        XCTAssertEqual(published.events, [1], "derivation \(number)")
        XCTAssertEqual(input.received.pendingCount, 0)
      }
    }
  }

  func test_C130a_busyAndIgnoredAreThoseOfTheFilteredInput() async throws {
    try await withTestTime { time in
      let (input, ignored, phases) = (Input<Int>(), Record<Int>(), Record<Bool>())
      let run = Task { [clock = time.clock] in
        await input.received.filter { $0 > 0 }.map { $0 * 10 }.answer(
          .firstOnly, busy: Inlet { phases.add($0) }, ignored: Inlet { ignored.add($0) }
        ) { _ in
          await clock.sleepThrough(.seconds(1))
        } publish: { _, _ in
        }
      }
      for number in [0, 1, 2, 0, 3] { input.inlet.send(number) }
      await time.idle()
      XCTAssertEqual(phases.events, [true])
      await time.advance(by: .seconds(1))
      XCTAssertEqual(ignored.events, [20, 30])
      XCTAssertEqual(phases.events, [true, false])
      run.cancel()
    }
  }

  func test_C130b_itHasOneConsumerWithWhatItIsMadeOf() async throws {
    let input = Input<Int>()
    for number in 1...4 { input.inlet.send(number) }
    input.finish()
    let even = input.received.filter { $0.isMultiple(of: 2) }
    assertEqual(await even.next(), 2)
    assertEqual(await input.received.next(), 3)
    assertEqual(await even.next(), 4)
    assertEqual(await input.received.next(), nil)
  }

  func test_C130c_aFilteredStateIsAnOutletThatBeginsWithItsValue() async throws {
    let state = CurrentValue(2)
    let (even, texts) = (
      state.outlet.filter { $0.isMultiple(of: 2) }.subscribe(),
      state.outlet.compactMap { $0 == 3 ? nil : "\($0)" }.subscribe()
    )
    for number in [3, 4] { state.value = number }
    state.finish()
    assertEqual(try await even.collect(), [2, 4])
    assertEqual(try await texts.collect(), ["2", "4"])
  }

  /// The guide's form: an equal write does not submit twice.
  func test_C11_anEqualWriteDoesNotRestartWorkWithRemoveDuplicates() async throws {
    try await withTestTime { time in
      let (request, submitted) = (CurrentValue(0), Record<Int>())
      let run = Task { [clock = time.clock] in
        await request.outlet.removeDuplicates().answer(.latestOnly) {
          submitted.add($0)
          await clock.sleepThrough(.seconds(1))
        } publish: { _, _ in
        }
      }
      await time.idle()
      request.value = 0
      await time.run()
      XCTAssertEqual(submitted.events, [0])
      run.cancel()
    }
  }
}
