import AsyncChannelsRunning
import AsyncChannelsTesting
import Dispatch
import TestSupport
import Testing

/// Tests in test time and in real time, which Swift Testing runs at the same time in one process. `Verification/verify
/// mix` runs them very often.
@Suite struct MixedInTestTime {
  @MainActor
  @Test(arguments: 0..<4) func aPauseIsExact(_ number: Int) async throws {
    try await withTestTime { time in
      let model = Counter(time.clock)
      let counts = Probe(model.$count)
      await withRunning(model) {
        model.add.send(number + 1)
        await time.advance(by: .milliseconds(299))
        #expect(counts.values == [0])
        await time.advance(by: .milliseconds(1))
        #expect(counts.values == [0, number + 1])
      }
    }
  }

  @MainActor
  @Test func anyOrderGivesTheSame() async throws {
    try await withTestTime(orders: .random(10, seed: 1)) { time in
      let model = Counter(time.clock)
      try await withRunning(model) {
        for number in 1...3 { model.add.send(number) }
        await time.run()
        try #require(model.count == 3)
      }
    }
  }

  @Test func actorsAreSeen() async throws {
    try await withTestTime { time in
      let worker = Worker()
      for _ in 0..<10 { Task { await worker.work() } }
      await time.idle()
      #expect(await worker.count == 10)
    }
  }

  @MainActor
  @Test func somethingOutsideIsWaitedFor() async throws {
    try await withTestTime { time in
      let numbers = Channel<Int>(replaying: 1)
      let inlet = numbers.inlet
      let probe = Probe(numbers.outlet)
      DispatchQueue.global().async { inlet.send(1) }
      try await probe.expect(1)
      await time.idle()
    }
  }

  @MainActor
  @Test func aFailureIsItsOwn() async {
    await #expect(throws: TestTimeFailure.self) {
      try await withTestTime(stepLimit: 50) { time in
        let numbers = CurrentValue(0)
        let token = numbers.outlet.observe { numbers.value = $0 + 1 }
        await time.idle()
        token.cancel()
      }
    }
  }
}

@Suite struct MixedInRealTime {
  @MainActor
  @Test(arguments: 0..<4) func aRealPauseEnds(_ number: Int) async throws {
    let model = Counter(ContinuousClock())
    let counts = Probe(model.$count)
    try await withRunning(model) {
      model.add.send(number + 1)
      try await counts.expect(0)
      try await counts.expect(number + 1, within: .seconds(20))
    }
  }

  @Test(arguments: 0..<4) func actorsComeAndGo(_ number: Int) async throws {
    for round in 0..<50 {
      let worker = Worker()
      await worker.work()
      if round % 10 == number { try await Task.sleep(for: .milliseconds(1)) }
      #expect(await worker.count == 1)
    }
  }

  @MainActor
  @Test func observersOnTheMainActorAreTold() async throws {
    let (state, seen) = (CurrentValue(0), Record<Int>())
    let token = state.outlet.observe { seen.add($0) }
    for number in 1...100 {
      state.value = number
      if number % 10 == 0 { await Task.yield() }
    }
    try await until("all were told") { seen.events.last == 100 }
    #expect(seen.events == Array(0...100))
    token.cancel()
  }

  @Test func threadsSendToALoop() async throws {
    let numbers = Channel<Int>()
    let received = numbers.outlet.subscribe()
    let inlet = numbers.inlet
    let loop = Task.detached {
      var sum = 0
      for await number in received { sum += number }
      return sum
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
          for _ in 0..<100 { inlet.send(thread) }
        }
        continuation.resume()
      }
    }
    numbers.finish()
    #expect(await loop.value == 600)
  }
}

private actor Worker {
  private(set) var count = 0

  func work() { count += 1 }
}

@MainActor
private final class Counter: ViewModel {
  @Input var add: Inlet<Int>
  @CurrentValue private(set) var count = 0
  private let clock: any Clock<Duration>

  init(_ clock: any Clock<Duration>) { self.clock = clock }

  func run() async {
    await _add.received.answer(
      .latestOnly, debounce: .milliseconds(300), clock: clock, by: { $0 }
    ) { self.count += $1 }
  }
}
