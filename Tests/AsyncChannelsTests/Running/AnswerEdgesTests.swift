import AsyncChannelsRunning
import AsyncChannelsTesting
import Foundation
import Synchronization
import TestSupport
import XCTest

/// Moments in which several things happen at once: the end of the input, the beginning of a pause, a cancellation
/// while the call only waits for its work, taps of another thread.
@MainActor
final class AnswerEdgesTests: XCTestCase {
  private let pause = Duration.milliseconds(300)

  func test_C107_theEndOfTheInputSupersedesNothing() async throws {
    try await withTestTime { [pause] time in
      let (input, gate) = (Channel<Int>(), Gate())
      let (received, published) = (input.outlet.subscribe(), Record<Int>())
      let run = Task { @MainActor in
        await received.answer(.latestOnly, debounce: Debounce(pause), clock: time.clock) { number in
          await gate.pass()
          return Task.isCancelled ? -number : number
        } publish: {
          published.add($1)
        }
      }
      input.send(1)
      await time.advance(by: pause)
      input.finish()
      await time.idle()
      gate.open()
      await run.value
      XCTAssertEqual(published.events, [1])
    }
  }

  func test_C76a_twoElementsOfOneInstantWaitAsLongAsOne() async throws {
    try await withTestTime { [pause] time in
      let input = Channel<Int>()
      let (received, published) = (input.outlet.subscribe(), Record<Int>())
      let run = Task { @MainActor in
        await received.answer(.latestOnly, debounce: Debounce(pause), clock: time.clock, by: { $0 })
        {
          published.add($1)
        }
      }
      input.send(1)
      await time.idle()
      input.send(2)
      await time.advance(by: pause)
      XCTAssertEqual(published.events, [2])
      run.cancel()
      await run.value
    }
  }

  func test_C79g_inNoFormIsThePauseWorkUnlessThatIsAskedFor() async throws {
    struct Refused: Error {}
    let refuse: @Sendable (Int) async throws(Refused) -> Int = { _ throws(Refused) in
      throw Refused()
    }
    let report: @Sendable (Int, Inlet<Int>) async -> Int = { number, _ in number }
    let refuseReporting: @Sendable (Int, Inlet<Int>) async throws(Refused) -> Int = {
      (_, _) throws(Refused) in throw Refused()
    }
    typealias Form = @Sendable @MainActor (Subscription<Int>, TestClock, Inlet<Bool>) async -> Void
    let forms: [Form] = [
      { [pause] in
        await $0.answer(debounce: Debounce(pause), clock: $1, busy: $2, by: { $0 }) { _, _ in }
      },
      { [pause] in
        await $0.answer(debounce: Debounce(pause), clock: $1, busy: $2, by: refuse) { _, _ in }
      },
      { [pause] in
        await $0.answerWithProgress(
          debounce: Debounce(pause), clock: $1, busy: $2, by: report, progress: { _, _ in },
          publish: { _, _ in })
      },
      { [pause] in
        await $0.answerWithProgress(
          debounce: Debounce(pause), clock: $1, busy: $2, by: refuseReporting,
          progress: { _, _ in },
          publish: { _, _ in })
      },
    ]
    for (number, form) in forms.enumerated() {
      try await withTestTime { [pause] time in
        let (input, phases) = (Channel<Int>(), Record<Bool>())
        let received = input.outlet.subscribe()
        let run = Task { await form(received, time.clock, Inlet { phases.add($0) }) }
        input.send(1)
        await time.idle()
        XCTAssertEqual(phases.events, [], "form \(number)")
        await time.advance(by: pause)
        XCTAssertEqual(phases.events, [true, false], "form \(number)")
        run.cancel()
        await run.value
      }
    }
  }

  func test_C101_itStaysBusyWhenWhatIsSupersededIsFollowedByAPause() async throws {
    try await withTestTime { [pause] time in
      let (input, phases) = (Channel<Int>(), Record<Bool>())
      let received = input.outlet.subscribe()
      let busy = Inlet<Bool> { phases.add($0) }
      let run = Task { @MainActor in
        await received.answer(
          .latestOnly, debounce: Debounce(pause), clock: time.clock, busy: busy,
          busyFromArrival: true
        ) { number in
          if number == 1 { try? await Task.sleep(for: .seconds(60), clock: time.clock) }
          return number
        } publish: { _, _ in
        }
      }
      input.send(1)
      await time.advance(by: pause)
      input.send(2)
      await time.advance(by: pause)
      XCTAssertEqual(phases.events, [true, false])
      run.cancel()
      await run.value
    }
  }

  func test_C79_aCancelledCallReportsAlsoIfItOnlyWaitsForItsWork() async throws {
    for overlap in Overlap.allCases {
      try await withTestTime { time in
        let (input, gate, phases) = (Channel<Int>(), Gate(), Record<Bool>())
        let received = input.outlet.subscribe()
        let run = Task { @MainActor in
          await received.answer(OverlapRule(overlap), busy: Inlet { phases.add($0) }) { _ in
            await gate.pass()
          } publish: { _, _ in
            XCTFail("It was cancelled.")
          }
        }
        input.send(1)
        input.finish()
        await time.idle()
        XCTAssertEqual(phases.events, [true], "\(overlap)")
        run.cancel()
        XCTAssertEqual(phases.events, [true], "\(overlap): not inside cancel()")
        await time.idle()
        XCTAssertEqual(phases.events, [true, false], "\(overlap)")
        gate.open()
        await run.value
        XCTAssertEqual(phases.events, [true, false], "\(overlap)")
      }
    }
  }

  func test_C79_theInletIsReleasedWithTheCall() async throws {
    for isCancelled in [false, true] {
      let (input, census) = (Channel<Int>(), Census())
      let received = input.outlet.subscribe()
      let run = Task { @MainActor in
        let tracked = Tracked(1, in: census)
        let busy = Inlet<Bool> { _ in withExtendedLifetime(tracked) {} }
        await received.answer(busy: busy, by: { $0 }, publish: { _, _ in })
      }
      input.send(1)
      try await until("it has begun") { census.count == 1 && received.pendingCount == 0 }
      if isCancelled { run.cancel() } else { input.finish() }
      await run.value
      try await until("the inlet is released") { census.count == 0 }
    }
  }

  func test_aSequenceWhoseIteratorIsAValueIsAnsweredToItsEnd() async throws {
    let published = Record<Int>()
    try await within { await CountToThree().answer(by: { $0 }, publish: { published.add($1) }) }
    XCTAssertEqual(published.events, [1, 2, 3])
  }

  /// What another thread has sent when work returns is ignored, and reported by the time of the answer.
  func test_C75_whatAnotherThreadSentBeforeTheWorkReturnedIsIgnoredInTime() async throws {
    let (taps, counts) = (Input<Int>(), Counts())
    let sender = Thread {
      for tap in 1...20_000 {
        taps.inlet.send(tap)
        counts.sent.store(tap, ordering: .releasing)
        if tap % 20 == 0 { usleep(50) }
      }
      taps.finish()
    }
    sender.start()
    let told = Record<Int>()
    var (limit, worked, late) = (0, 0, [Int]())
    await taps.received.answer(.firstOnly, ignored: Inlet { told.add($0) }) { tap in
      counts.returned.store(counts.sent.load(ordering: .acquiring), ordering: .releasing)
      return tap
    } publish: { _, tap in
      worked += 1
      // Worked on, though it was sent before the work that was answered last had returned?
      if tap <= limit { late.append(tap) }
      limit = counts.returned.load(ordering: .acquiring)
      // Neither worked on nor reported?
      if worked + told.count < limit { late.append(limit) }
    }
    XCTAssertEqual(late, [])
    XCTAssertEqual(worked + told.count, 20_000)
  }
}

private final class Counts: Sendable {
  let sent = Atomic(0)
  let returned = Atomic(0)
}

private struct CountToThree: AsyncSequence, AsyncIteratorProtocol {
  private var last = 0

  func makeAsyncIterator() -> Self { self }

  mutating func next(isolation: isolated (any Actor)?) async throws(Never) -> Int? {
    if last == 3 { return nil }
    last += 1
    return last
  }

  mutating func next() async throws(Never) -> Int? { await next(isolation: nil) }
}
