import TestSupport
import XCTest

@testable import AsyncChannels

/// What sending, taking and waking cost, counted in steps (C41, C42).
final class StepTests: XCTestCase {
  override func setUpWithError() throws {
    #if !DEBUG
      throw XCTSkip("What the optimizer leaves of the steps is not what is counted here.")
    #endif
  }

  func test_theCounterSeesAStepForEachObjectThatIsGoneThrough() async throws {
    try await assertSurvives("objects") {
      let census = Census()
      let objects = (0..<1000).map { Tracked($0, in: census) }
      var sum = 0
      let counts = try [100, 200, 300, 1000].map { count in
        try StepCounter.steps { for object in objects[..<count] { sum += object.number } }
      }
      try StepCounter.expectEvenlyGrowing("a loop", Array(counts.dropLast()))
      guard counts[3] - counts[0] >= 900 else {
        throw StepCounter.Failure(description: "\(counts) are too few steps for what was done")
      }
    }
  }

  func test_C41a_aSendHasTheSameStepsWithTenUnboundedSubscribersAndWithTenThousand() async throws {
    try await assertSurvives("sends") {
      let counts = try [10, 100, 10_000].map { count in
        let census = Census()
        let channel = Channel<Tracked>(replaying: 2)
        let subscriptions = (0..<count).map { _ in channel.outlet.subscribe() }
        let elements = (0..<150).map { Tracked($0, in: census) }
        let steps = try StepCounter.steps { for element in elements { channel.send(element) } }
        withExtendedLifetime(subscriptions) {}
        return steps
      }
      try StepCounter.expectSame("a send", counts)
    }
  }

  func test_C41a_aSendToSleepersHasTheSameStepsHoweverManySleep() async throws {
    try await assertSurvives("sends") {
      let counts = try [20, 100, 10_000].map { count in
        let channel = Channel<Int>()
        let executor = ManualTaskExecutor()
        let tasks = (0..<count).map { _ in channel.outlet.subscribe().sleeping(on: executor) }
        var wake = Wake.nobody
        let steps = try StepCounter.steps {
          var evicted = Evicted<Int>()
          wake = channel.log.appendIfPlain(1, replayed: true, evicting: &evicted).wake
        }
        guard case .crowd = wake else {
          throw StepCounter.Failure(description: "the sender is to ring: \(wake)")
        }
        for task in tasks { task.cancel() }
        executor.drain()
        return steps
      }
      try StepCounter.expectSame("a send", counts)
    }
  }

  func test_C41b_eachBoundedSubscriberAddsTheSameStepsToASend() async throws {
    for policy in [BufferingPolicy.bufferingNewest(4), .bufferingOldest(4)] {
      try await assertSurvives("\(policy)") {
        let counts = try [100, 200, 300, 400].map { count in
          let census = Census()
          let channel = Channel<Tracked>(buffering: policy)
          let subscriptions = (0..<count).map { _ in channel.outlet.subscribe() }
          // Before, so that the queues have their room and some are full.
          for number in 0..<4 { channel.send(Tracked(number, in: census)) }
          let elements = (0..<10).map { Tracked($0, in: census) }
          let steps = try StepCounter.steps { for element in elements { channel.send(element) } }
          withExtendedLifetime(subscriptions) {}
          return steps
        }
        try StepCounter.expectEvenlyGrowing("a send", counts)
      }
    }
  }

  func test_C42_aTakeHasTheSameStepsWithTenSubscribersAndWithAThousand() async throws {
    let kinds: [(String, @Sendable (Outlet<Tracked>) -> Subscription<Tracked>)] = [
      ("unbounded", { $0.subscribe() }),
      ("bounded", { $0.subscribe(buffering: .bufferingNewest(200)) }),
      ("derived", { $0.map { $0 }.filter { _ in true }.subscribe() }),
    ]
    for (kind, subscribe) in kinds {
      try await assertSurvives(kind) {
        let counts = try [10, 100, 1000].map { count in
          let census = Census()
          let channel = Channel<Tracked>(replaying: 20)
          for number in 0..<20 { channel.send(Tracked(number, in: census)) }
          let subscriptions = (0..<count).map { _ in subscribe(channel.outlet) }
          // More than two segments, and what is replayed.
          for number in 20..<170 { channel.send(Tracked(number, in: census)) }
          let one = subscriptions[count / 2]
          return try StepCounter.steps { for _ in 0..<170 { _ = one.takeNow() } }
        }
        try StepCounter.expectSame("a take", counts)
      }
    }
  }

  func test_C42_eachSleeperIsWokenOnceForAnElementAndWithTheSameSteps() async throws {
    try await assertSurvives("wakes") {
      var counts: [Int] = []
      for sleepers in [100, 200, 300, 1000] {
        let channel = Channel<Int>()
        let executor = ManualTaskExecutor()
        let tasks = (0..<sleepers).map { _ in channel.outlet.subscribe().sleeping(on: executor) }
        // The first time round, segments and rings are made.
        for round in 0..<2 {
          channel.send(1)
          try await until("all are woken") { executor.jobCount == sleepers }
          let steps = try StepCounter.steps { executor.drain() }
          guard channel.log.sleeperCount == sleepers else {
            throw StepCounter.Failure(description: "one job is not enough to take an element")
          }
          if round == 1 { counts.append(steps) }
        }
        for task in tasks { task.cancel() }
        executor.drain()
      }
      try StepCounter.expectEvenlyGrowing("waking", Array(counts.dropLast()))
      let (hundred, nineHundred) = (counts[1] - counts[0], counts[3] - counts[0])
      try StepCounter.expectSame("waking nine hundred", [9 * hundred, nineHundred])
    }
  }
}
