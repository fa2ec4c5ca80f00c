import AsyncChannelsRunning
import AsyncChannelsTesting
import TestSupport
import XCTest

/// Several parts of one `run()`.
@MainActor
final class TogetherTests: XCTestCase {
  private struct Failure: Error, Equatable { let number: Int }

  func test_C105_itRunsAllInTheirIsolationAndReturnsWhenAllHave() async throws {
    try await withTestTime { time in
      var done: [String] = []
      let clock = time.clock
      Task {
        await together(
          {
            MainActor.assertIsolated()
            await clock.sleepThrough(.seconds(1))
            done.append("first")
          },
          {
            MainActor.assertIsolated()
            done.append("second")
          })
        done.append("returned")
      }
      await time.idle()
      XCTAssertEqual(done, ["second"])
      await time.advance(by: .seconds(1))
      XCTAssertEqual(done, ["second", "first", "returned"])
    }
  }

  func test_C105_cancellingTheCallerCancelsAll() async throws {
    try await withTestTime { time in
      let ended = Record<Int>()
      let run = Task {
        await together(
          {
            for await _ in Outlet<Int>.never {}; ended.add(1)
          },
          {
            for await _ in Outlet<Int>.never {}; ended.add(2)
          })
      }
      await time.idle()
      XCTAssertEqual(ended.events, [])
      run.cancel()
      await run.value
      XCTAssertEqual(Set(ended.events), [1, 2])
    }
  }

  func test_C105_anErrorEndsTheOthersAndIsThrownWhenTheyHaveReturned() async throws {
    let ended = Record<Int>()
    do {
      try await together(
        {
          for await _ in Outlet<Int>.never {}; ended.add(1)
        },
        { throw Failure(number: 2) })
      XCTFail("It throws.")
    } catch {
      XCTAssertEqual(error as? Failure, Failure(number: 2))
    }
    XCTAssertEqual(ended.events, [1])
  }

  func test_C106_whatIsMadeNilIsDropped() async throws {
    let numbers = Channel<Int>()
    let texts: Inlet<String> = numbers.inlet.compactContramap { Int($0) }
    let heard = Probe(numbers.outlet)
    XCTAssertEqual(subscribers(texts.send("1")), 1)
    XCTAssertEqual(subscribers(texts.send("one")), 0)
    XCTAssertEqual(subscribers(texts.send("2")), 1)
    try await heard.expect(1)
    try await heard.expect(2)
    numbers.finish()
    XCTAssertEqual(subscribers(texts.send("none")), 0)
    guard case .finished("3") = texts.send("3") else { return XCTFail("It is finished.") }
  }

  private func subscribers(_ result: SendResult<String>) -> Int? {
    if case .sent(let subscribers) = result { subscribers } else { nil }
  }
}
