package import AsyncChannels

@MainActor
package func answer(_ count: Int, _ overlap: Overlap) async throws -> Double {
  let input = Input<Int>()
  let answers = Channel<Int>()
  let received = answers.outlet.subscribe()
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
  let loop = LoopByHand(overlap, input, answers)
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

@MainActor
private final class LoopByHand {
  private let overlap: Overlap
  private let input: InputByHand<Int>
  private let answers: OutputByHand<Int>
  private var current: Task<Void, Never>?
  private var isWorking = false

  init(_ overlap: Overlap, _ input: InputByHand<Int>, _ answers: OutputByHand<Int>) {
    self.overlap = overlap
    self.input = input
    self.answers = answers
  }

  func run() async {
    await withDiscardingTaskGroup { group in
      for await _ in input.rings() {
        while !Task.isCancelled, let number = input.take() {
          switch overlap {
          case .oneAtATime:
            let answer = await work(number)
            if !Task.isCancelled { answers.send(answer) }
          case .latestOnly:
            current?.cancel()
            current = Task { publish(await work(number)) }
          case .firstOnly:
            guard !isWorking else { continue }
            isWorking = true
            group.addTask {
              await self.finish(await self.work(number))
            }
          case .concurrent:
            group.addTask { await self.publish(await self.work(number)) }
          }
        }
      }
    }
    current?.cancel()
    await current?.value
  }

  private func publish(_ answer: Int) {
    if !Task.isCancelled { answers.send(answer) }
  }

  private func finish(_ answer: Int) {
    isWorking = false
    publish(answer)
  }

  /// Away from the main actor.
  @concurrent
  private func work(_ number: Int) async -> Int { number }
}
