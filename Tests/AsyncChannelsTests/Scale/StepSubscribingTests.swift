import TestSupport
import XCTest

@testable import AsyncChannels

/// What subscribing, leaving and dead doorbells cost, counted in steps (C43).
final class StepSubscribingTests: XCTestCase {
  override func setUpWithError() throws {
    #if !DEBUG
      throw XCTSkip("What the optimizer leaves of the steps is not what is counted here.")
    #endif
  }

  private let policies: [BufferingPolicy] = [.unbounded, .bufferingNewest(4), .bufferingOldest(4)]

  func test_C43_subscribingHasTheSameStepsBesideTenOthersAndBesideTenThousand() async throws {
    for policy in policies {
      try await assertSurvives("\(policy)") {
        let counts = try [10, 100, 10_000].map { count in
          let channel = Channel<Tracked>()
          var others = (0..<count).map { _ in channel.outlet.subscribe(buffering: policy) }
          // One place that is free in the list of those who are bounded: growing it is not each time.
          others.removeFirst()
          return try StepCounter.steps { _ = channel.outlet.subscribe(buffering: policy) }
        }
        try StepCounter.expectSame("subscribing", counts)
      }
    }
  }

  func test_C43_subscribingGrowsWithTheReplayWindowAndNotWithWhatWasSent() async throws {
    for policy in [BufferingPolicy.unbounded, .bufferingNewest(1000)] {
      try await assertSurvives("\(policy)") {
        let counts = try [300, 400, 500].map { window in
          try [window, 20 * window].map { sent in
            let census = Census()
            let channel = Channel<Tracked>(replaying: window)
            for number in 0..<sent { channel.send(Tracked(number, in: census)) }
            var subscription: Subscription<Tracked>?
            let steps = try StepCounter.steps {
              subscription = channel.outlet.subscribe(buffering: policy)
            }
            withExtendedLifetime(subscription) {}
            return steps
          }
        }
        for count in counts { try StepCounter.expectSame("subscribing", count) }
        try StepCounter.expectEvenlyGrowing("subscribing", counts.map { $0[0] })
      }
    }
  }

  func test_C43_leavingHasTheSameStepsFromAmongTenAndFromAmongTenThousand() async throws {
    for policy in policies {
      try await assertSurvives("\(policy)") {
        for place in [0.0, 0.5, 0.8] {
          let counts = try [10, 100, 10_000].map { count in
            let channel = Channel<Tracked>()
            var subscriptions = (0..<count).map { _ -> Subscription<Tracked>? in
              channel.outlet.subscribe(buffering: policy)
            }
            let index = Int(place * Double(count))
            return try StepCounter.steps { subscriptions[index] = nil }
          }
          try StepCounter.expectSame("leaving", counts)
        }
      }
    }
  }

  func test_C43_leavingGrowsWithTheElementsThatOnlyTheLeaverIsOwed() async throws {
    for policy in [BufferingPolicy.unbounded, .bufferingNewest(1000)] {
      try await assertSurvives("\(policy)") {
        let counts = try [300, 400, 500].map { owed in
          try [0, 1000].map { others in
            let census = Census()
            let channel = Channel<Tracked>()
            var leaver = Optional(channel.outlet.subscribe(buffering: policy))
            for number in 0..<owed { channel.send(Tracked(number, in: census)) }
            // They are owed none of these.
            let staying = (0..<others).map { _ in channel.outlet.subscribe() }
            let steps = try StepCounter.steps { leaver = nil }
            withExtendedLifetime((leaver, staying)) {}
            guard census.count == 0 else {
              throw StepCounter.Failure(description: "\(census.count) were not released")
            }
            return steps
          }
        }
        for count in counts { try StepCounter.expectSame("leaving", count) }
        try StepCounter.expectEvenlyGrowing("leaving", counts.map { $0[0] })
      }
    }
  }

  func test_C43_aCancelledConsumerLeavesALineOfTenAndOfTenThousandWithTheSameSteps() async throws {
    try await assertSurvives("dropping") {
      let counts = try [10, 100, 10_000].map { count in
        let channel = Channel<Int>()
        let executor = ManualTaskExecutor()
        let tasks = (0..<count).map { _ in channel.outlet.subscribe().sleeping(on: executor) }
        let middle = count / 2
        let steps = try StepCounter.steps {
          tasks[middle].cancel()
          executor.drain()
        }
        try expectSleepers(count - 1, in: channel)
        for task in tasks { task.cancel() }
        executor.drain()
        return steps
      }
      try StepCounter.expectSame("leaving", counts)
    }
  }

  func test_C43_aCancelledConsumerLeavesNothingInTheLineForTheNext() async throws {
    try await assertSurvives("cancelling") {
      let channel = Channel<Int>()
      let executor = ManualTaskExecutor()
      let others = (0..<100).map { _ in channel.outlet.subscribe().sleeping(on: executor) }
      let subscription = channel.outlet.subscribe()
      var counts: [Int] = []
      for round in 0..<1000 {
        var task: Task<Void, Never>?
        let steps = try StepCounter.steps { task = subscription.sleeping(on: executor) }
        try expectSleepers(101, in: channel)
        task?.cancel()
        executor.drain()
        try expectSleepers(100, in: channel)
        // The first time is the code's first, too.
        if round > 0 { counts.append(steps) }
      }
      // The least of many: now and then the runtime itself takes some steps more.
      let (early, late) = (counts.prefix(100).min(), counts.suffix(100).min())
      try StepCounter.expectSame("falling asleep", [early, late].compactMap(\.self))
      for task in others { task.cancel() }
      executor.drain()
    }
  }
}

private func expectSleepers(_ count: Int, in channel: Channel<Int>) throws {
  let found = channel.log.sleeperCount
  guard found == count else {
    throw StepCounter.Failure(description: "\(found) doorbells are in the line, not \(count)")
  }
}
