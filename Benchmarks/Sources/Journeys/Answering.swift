package import AsyncChannelsRunning

@MainActor
package func answer(_ count: Int, _ overlap: Overlap) async throws -> Double {
  let input = Input<Int>()
  let answers = Channel<Int>()
  let received = answers.outlet.makeAsyncIterator()
  let run: @MainActor @Sendable () async -> Void = {
    await input.received.answer(OverlapRule(overlap)) {
      $0
    } publish: {
      answers.send($1)
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

/// So many elements wait when the call begins.
@MainActor
package func answerQueued(_ count: Int, _ overlap: Overlap) async throws -> Double {
  let input = Input<Int>()
  for number in 0..<count { input.inlet.send(number) }
  input.finish()
  var published = 0
  let time = await nanoseconds {
    await input.received.answer(OverlapRule(overlap)) {
      $0
    } publish: { _, _ in
      published += 1
    }
  }
  let takesAll = overlap == .oneAtATime || overlap == .concurrent
  try WrongCount.check("answers", published, is: takesAll ? count : 1)
  return time / Double(count)
}
