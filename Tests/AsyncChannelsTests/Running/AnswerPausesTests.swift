import AsyncChannelsRunning
import AsyncChannelsTesting
import TestSupport
import XCTest

/// C131, C132: when work begins.
@MainActor
final class AnswerPausesTests: XCTestCase {
  private let published = Record<Int>()

  func test_C131a_theNewestElementSaysHowLongItIsQuiet() async throws {
    for isBounded in [false, true] {
      for isDerived in [false, true] {
        try await withTestTime { [published] time in
          let channel = Channel<Int>()
          let received = channel.outlet.subscribe(buffering: isBounded ? .bufferingNewest(9) : nil)
          let run = call(
            isDerived ? received.map { $0 } : received, .latestOnly,
            debounce: .by { .milliseconds($0) }, time)
          for number in 1...70 { channel.send(number) }
          channel.send(500)
          await time.advance(by: .milliseconds(499))
          XCTAssertEqual(published.events, [])
          channel.send(100)
          await time.advance(by: .milliseconds(99))
          XCTAssertEqual(published.events, [])
          await time.advance(by: .milliseconds(1))
          XCTAssertEqual(published.take(), [100])
          channel.send(300)
          channel.send(0)
          await time.idle()
          XCTAssertEqual(published.take(), [0])
          run.cancel()
        }
      }
    }
  }

  func test_C131a_alsoOfSeveralStates() async throws {
    try await withTestTime { [published] time in
      let (one, other) = (CurrentValue(1), CurrentValue(2))
      let run = Task { [clock = time.clock] in
        await StateOutlet.combine(one.outlet, other.outlet).answer(
          debounce: .by { .milliseconds($0 + $1) }, clock: clock, by: { $0 + $1 }
        ) { published.add($1) }
      }
      other.value = 99
      await time.advance(by: .milliseconds(99))
      XCTAssertEqual(published.events, [])
      await time.advance(by: .milliseconds(1))
      XCTAssertEqual(published.take(), [100])
      run.cancel()
    }
  }

  func test_C131b_aPauseEndsAtTheLatestThoughElementsContinueToCome() async throws {
    try await withTestTime { [published] time in
      let input = Input<Int>()
      let run = call(
        input.received, debounce: .seconds(1).atLatest(after: .seconds(5)), time)
      for number in 1...12 {
        input.inlet.send(number)
        await time.advance(by: .milliseconds(900))
      }
      // After 5 s the sixth had come, 5 s after the seventh the twelfth.
      XCTAssertEqual(published.take(), [6, 12])
      run.cancel()
    }
  }

  func test_C132a_theFirstBeginsImmediatelyAndThenTheNewestAtMostSoOften() async throws {
    for overlap in Overlap.allCases {
      try await withTestTime { [published] time in
        let input = Input<Int>()
        let run = call(input.received, overlap, atMostEvery: .seconds(1), time)
        for number in 1...25 {
          input.inlet.send(number)
          await time.advance(by: .milliseconds(100))
        }
        XCTAssertEqual(published.take(), [1, 10, 20], "\(overlap)")
        await time.run()
        XCTAssertEqual(published.take(), [25], "\(overlap)")
        await time.advance(by: .seconds(3))
        input.inlet.send(26)
        await time.idle()
        XCTAssertEqual(published.take(), [26], "\(overlap)")
        run.cancel()
      }
    }
  }

  func test_C132b_workInProgressIsSupersededWhenNewerWorkBegins() async throws {
    try await withTestTime { [published] time in
      let input = Input<Int>()
      let run = Task { [clock = time.clock] in
        await input.received.answer(.latestOnly, atMostEvery: .seconds(1), clock: clock) {
          await clock.sleepThrough(.milliseconds($0 == 1 ? 900 : 1_100))
          return $0
        } publish: {
          published.add($1)
        }
      }
      input.inlet.send(1)
      await time.advance(by: .milliseconds(500))
      input.inlet.send(2)
      await time.advance(by: .milliseconds(500))
      XCTAssertEqual(published.take(), [1])
      input.inlet.send(3)
      await time.run()
      XCTAssertEqual(published.take(), [3])
      run.cancel()
    }
  }

  /// The next call begins at once with what a cancelled one has left.
  func test_C132c_elementsThatWaitStayInTheSubscription() async throws {
    try await withTestTime { [published] time in
      let input = Input<Int>()
      let run = call(input.received, atMostEvery: .seconds(1), time)
      input.inlet.send(1)
      await time.idle()
      input.inlet.send(2)
      await time.advance(by: .milliseconds(500))
      run.cancel()
      await run.value
      XCTAssertEqual(input.received.pendingCount, 1)
      let next = call(input.received, atMostEvery: .seconds(1), time)
      await time.idle()
      XCTAssertEqual(published.take(), [1, 2])
      input.inlet.send(3)
      input.finish()
      await time.idle()
      XCTAssertEqual(published.take(), [3], "At the end it waits no longer.")
      await next.value
    }
  }

  func test_C132d_anObserverIsCalledAtMostSoOften() async throws {
    try await withTestTime { [published] time in
      let state = CurrentValue(0)
      let token = state.outlet.observe(atMostEvery: .seconds(1), clock: time.clock) {
        published.add($0)
      }
      for number in 1...25 {
        state.value = number
        await time.advance(by: .milliseconds(100))
      }
      XCTAssertEqual(published.events.prefix(1) + published.events.suffix(2), [0, 10, 20])
      await time.run()
      XCTAssertEqual(published.events.last, 25)
      XCTAssertEqual(published.count, 4)
      token.cancel()
    }
  }

  private func call(
    _ received: Subscription<Int>, _ overlap: Overlap = .oneAtATime,
    debounce: Debounce<Int>? = nil, atMostEvery interval: Duration? = nil, _ time: TestTime
  ) -> Task<Void, Never> {
    Task { [published, clock = time.clock] in
      await received.answer(
        OverlapRule(overlap), debounce: debounce, atMostEvery: interval, clock: clock, by: { $0 }
      ) { published.add($1) }
    }
  }
}
