import AsyncChannels
import AsyncChannelsTesting
import TestSupport
import XCTest

/// `answer` with work that can fail, and how little its callers have to write.
@MainActor
final class AnswerThrowingTests: XCTestCase {
  func test_C78_workThatThrowsIsAnsweredWithAResultOfItsErrorsType() async {
    var published: [Result<Int, Odd>] = []
    await Outlet.just(1, 2).answer(by: half(of:)) { published.append($0) }
    XCTAssertEqual(published, [.failure(Odd(number: 1)), .success(1)])
  }

  func test_C78_anUntypedErrorIsAnError() async {
    var published: [Result<Int, any Error>] = []
    await Outlet.just(1, 2).answer { number in
      await Task.yield()
      let half = try await half(of: number)
      return half + 100
    } publish: { result in
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
    } publish: { answer in
      published.append(answer)
    }
    await Outlet.just(3).answer {
      "\($0)"
    } publish: {
      published.append($0)
    }
    // Nobody looks at the answer: no ambiguity.
    await Outlet.just(4).answer {
      $0
    } publish: { _ in
    }
    XCTAssertEqual(published, ["1!", "2!", "3"])
  }

  func test_C78_workThatThrowsBecauseItIsCancelledHasNoAnswer() async throws {
    for isSuperseded in [true, false] {
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe()
      let begun = Channel<Int>()
      let started = Probe(begun.outlet)
      let answers = Channel<Result<Int, any Error>>()
      let published = Probe(answers.outlet.map { try? $0.get() })
      let run = Task {
        await received.answer(.latestOnly) { number in
          begun.send(number)
          guard number == 1 else { return number }
          try await Task.sleep(for: .seconds(3_600))
          return number
        } publish: {
          answers.send($0)
        }
      }
      inputs.send(1)
      try await started.expect(1)
      if isSuperseded {
        inputs.send(2)
        try await published.expect(2)
      }
      try await run.cancelAndWait()
      try published.finish()
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
