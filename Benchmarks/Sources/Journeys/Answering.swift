package import AsyncChannels

@MainActor
package func answer(_ count: Int, _ overlap: Overlap) async throws -> Double {
  let input = Input<Int>()
  let answers = Channel<Int>()
  let received = answers.outlet.makeAsyncIterator()
  let run: @MainActor @Sendable () async -> Void = {
    await input.received.answer(overlap) {
      $0
    } publish: {
      answers.send($0)
    }
  }
  return try await withRunning({ await run() }) { () async throws -> Double in
    try await eachAnswered(count) {
      input.inlet.send($0)
    } next: {
      await received.next()
    }
  }
}

@MainActor
package func answerByHand(_ count: Int, _ overlap: Overlap) async throws -> Double {
  let input = InputByHand<Int>()
  let answers = OutputByHand<Int>()
  var received = answers.subscribe().makeAsyncIterator()
  let loop = LoopByHand(overlap, input) {
    $0
  } publish: {
    answers.send($0)
  }
  return try await withRunning({ await loop.run() }) { () async throws -> Double in
    try await eachAnswered(count) {
      input.send($0)
    } next: {
      await received.next(isolation: MainActor.shared)
    }
  }
}

@MainActor
private func eachAnswered(
  _ count: Int, send: (Int) -> Void, next: () async -> Int?
) async throws -> Double {
  var correct = 0
  let time = await nanoseconds {
    for number in 0..<count {
      send(number)
      if await next() == number { correct += 1 }
    }
  }
  try WrongCount.check("answers", correct, is: count)
  return time / Double(count)
}
