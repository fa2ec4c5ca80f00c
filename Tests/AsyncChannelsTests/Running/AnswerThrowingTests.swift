import AsyncChannelsRunning
import AsyncChannelsTesting
import XCTest

/// `answer` with work that can fail, and how little its callers have to write.
@MainActor
final class AnswerThrowingTests: XCTestCase {
  func test_C78_workThatThrowsIsAnsweredWithAResultOfItsErrorsType() async {
    var published: [Result<Int, Odd>] = []
    await Outlet.just(1, 2).answer(by: half(of:)) { published.append($1) }
    XCTAssertEqual(published, [.failure(Odd(number: 1)), .success(1)])
  }

  func test_C78_anUntypedErrorIsAnError() async {
    var published: [Result<Int, any Error>] = []
    await Outlet.just(1, 2).answer { number in
      await Task.yield()
      let half = try await half(of: number)
      return half + 100
    } publish: { _, result in
      published.append(result)
    }
    XCTAssertEqual(published.count, 2)
    XCTAssertThrowsError(try published[0].get()) {
      XCTAssertEqual($0 as? Odd, Odd(number: 1))
    }
    XCTAssertEqual(try published[1].get(), 101)
  }

  func test_C78_workThatDoesNotThrowIsAnsweredAsItIs() async {
    var published: [String] = []
    await Outlet.just(1, 2).answer { number in
      let text = "\(number)"
      await Task.yield()
      return text + "!"
    } publish: { _, answer in
      published.append(answer)
    }
    await Outlet.just(3).answer {
      "\($0)"
    } publish: {
      published.append($1)
    }
    // Nobody looks at the answer: no ambiguity.
    await Outlet.just(4).answer {
      $0
    } publish: { _, _ in
    }
    XCTAssertEqual(published, ["1!", "2!", "3"])
  }

  func test_C78_workThatThrowsBecauseItIsCancelledHasNoAnswer() async throws {
    try await withTestTime { time in
      for isSuperseded in [true, false] {
        let inputs = Channel<Int>()
        let received = inputs.outlet.subscribe()
        var published: [Int?] = []
        let run = Task { [clock = time.clock] in
          await received.answer(.latestOnly) { number in
            if number == 1 { try await clock.sleep(for: .seconds(1)) }
            return number
          } publish: { _, result in
            published.append(try? result.get())
          }
        }
        inputs.send(1)
        await time.idle()
        XCTAssertEqual(time.clock.sleeperCount, 1)
        if isSuperseded { inputs.send(2) }
        await time.idle()
        run.cancel()
        await run.value
        XCTAssertEqual(published, isSuperseded ? [2] : [])
      }
    }
  }
}

private struct Odd: Error, Equatable {
  let number: Int
}

private func half(of number: Int) async throws(Odd) -> Int {
  guard number.isMultiple(of: 2) else { throw Odd(number: number) }
  return number / 2
}
