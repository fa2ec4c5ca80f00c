import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// What is sent while nobody is subscribed goes to the first who subscribes.
final class KeptUnheardTests: XCTestCase {
  func test_C64_theFirstSubscriberBeginsWithWhatWasKeptAndTheSecondWithWhatIsSent() async throws {
    let channel = Channel<Int>(keepingUnheard: .unbounded)
    for number in 0..<200 { XCTAssertEqual(channel.send(number), .sent(subscribers: 0)) }
    let first = channel.outlet.subscribe()
    let second = channel.outlet.subscribe()
    XCTAssertEqual(first.pendingCount, 200)
    XCTAssertEqual(channel.send(200), .sent(subscribers: 2))
    channel.finish()
    let all = try await first.collect()
    XCTAssertEqual(all, Array(0...200))
    let rest = try await second.collect()
    XCTAssertEqual(rest, [200])
  }

  func test_C64_whatIsSentWhenAllHaveLeftIsKeptAgain() async throws {
    let channel = Channel<Int>(keepingUnheard: .unbounded)
    for round in 0..<3 {
      channel.send(round * 10)
      let subscription = channel.outlet.subscribe()
      channel.send(round * 10 + 1)
      let taken = try await subscription.take(2)
      XCTAssertEqual(taken, [round * 10, round * 10 + 1])
      // Heard, and left untaken: it goes with the subscription.
      channel.send(-1)
    }
  }

  func test_C64_whoeverComesFirstGetsIt() async throws {
    let derived = Channel<Int>(keepingUnheard: .unbounded)
    derived.send(1)
    let mapped = derived.outlet.map { $0 * 10 }.filter { $0 > 0 }
    let first = try await mapped.take(1)
    XCTAssertEqual(first, [10])

    let observed = Channel<Int>(keepingUnheard: .bufferingNewest(2))
    for number in 1...3 { observed.send(number) }
    let seen = Record<Int>()
    let token = observed.outlet.observe { seen.add($0) }
    try await until("the observer was called") { seen.events == [2, 3] }
    token.cancel()

    let looped = Output<Int>(keepingUnheard: .bufferingOldest(2))
    for number in 1...3 { looped.send(number) }
    let taken = try await looped.outlet.take(2)
    XCTAssertEqual(taken, [1, 2])
  }

  func test_C64_whatIsNotReplayedIsKeptToo() async throws {
    let channel = Channel<Int>(keepingUnheard: .unbounded)
    channel.send(1, replayed: false)
    let taken = try await channel.outlet.take(1)
    XCTAssertEqual(taken, [1])
  }

  func test_C65a_thePolicyBoundsWhatIsKeptAndTheFirstSubscriberIsToldOfTheRest() async throws {
    for (kept, expected) in [
      (BufferingPolicy.bufferingNewest(3), [7, 8, 9]), (.bufferingOldest(3), [0, 1, 2]),
    ] {
      let census = Census()
      let channel = Channel<Tracked>(keepingUnheard: kept)
      for number in 0..<10 { channel.send(Tracked(number, in: census)) }
      XCTAssertEqual(census.count, 3)
      let first = channel.outlet.subscribe()
      XCTAssertEqual(first.droppedCount, 7)
      XCTAssertEqual(channel.outlet.subscribe().droppedCount, 0)
      channel.finish()
      let numbers = try await first.collect().map(\.number)
      XCTAssertEqual(numbers, expected)
      XCTAssertEqual(census.count, 0)
    }
  }

  func test_C65b_whatIsHandedOverPassesTheSubscribersOwnPolicy() async throws {
    for (policy, expected) in [
      (BufferingPolicy.bufferingNewest(2), [3, 4]), (.bufferingOldest(2), [1, 2]),
    ] {
      let census = Census()
      let channel = Channel<Tracked>(keepingUnheard: .bufferingNewest(4))
      for number in 0..<5 { channel.send(Tracked(number, in: census)) }
      let first = channel.outlet.subscribe(buffering: policy)
      XCTAssertEqual(first.droppedCount, 1 + 2)
      XCTAssertEqual(census.count, 2)
      channel.finish()
      let numbers = try await first.collect().map(\.number)
      XCTAssertEqual(numbers, expected)
    }
  }

  func test_C65c_finishLeavesItToTheFirstWhoSubscribes() async throws {
    for policy in [BufferingPolicy.unbounded, .bufferingNewest(8), .bufferingOldest(8)] {
      let census = Census()
      let outlet: Outlet<Tracked>
      do {
        let channel = Channel<Tracked>(keepingUnheard: .unbounded)
        outlet = channel.outlet
        for number in 0..<3 { channel.send(Tracked(number, in: census)) }
      }
      let first = outlet.subscribe(buffering: policy)
      let second = outlet.subscribe(buffering: policy)
      let numbers = try await first.collect().map(\.number)
      XCTAssertEqual(numbers, [0, 1, 2])
      let others = try await second.collect().map(\.number)
      XCTAssertEqual(others, [])
      XCTAssertEqual(census.count, 0)
    }
  }

  func test_C65d_whatNobodyHeardIsReleasedWithTheLastOutlet() {
    let census = Census()
    do {
      let channel = Channel<Tracked>(keepingUnheard: .unbounded)
      for number in 0..<3 { channel.send(Tracked(number, in: census)) }
      XCTAssertEqual(census.count, 3)
    }
    XCTAssertEqual(census.count, 0)
  }

  func test_C65d_anInletKeepsNothingOfIt() {
    let census = Census()
    let inlet: Inlet<Tracked>
    var outlet: Outlet<Tracked>?
    do {
      let channel = Channel<Tracked>(keepingUnheard: .unbounded)
      inlet = channel.inlet
      outlet = channel.outlet
      for number in 0..<3 { inlet.send(Tracked(number, in: census)) }
    }
    XCTAssertEqual(census.count, 3)
    XCTAssertNotNil(outlet)
    outlet = nil
    XCTAssertEqual(census.count, 0)
    guard case .finished = inlet.send(Tracked(3, in: census)) else {
      return XCTFail("It was sent.")
    }
    XCTAssertEqual(census.count, 0)
  }

  func test_C65a_anElementsDeinitMaySendWhenThePolicyDropsIt() {
    let census = Census()
    let echo = Channel<Tracked>(keepingUnheard: .bufferingOldest(4))
    let inlet = echo.inlet
    for number in 0..<4 {
      echo.send(Tracked(number, in: census) { inlet.send(Tracked(-1, in: census)) })
    }
    // Two of the four are dropped by the policy of the subscriber, and send when they are.
    let first = echo.outlet.subscribe(buffering: .bufferingOldest(2))
    XCTAssertEqual(first.pendingCount, 2)
    XCTAssertEqual(first.droppedCount, 2 + 2)
  }

  /// A sender and subscribers that come and go: each element goes to exactly one of them, in order.
  func test_C64_whileSubscribersComeAndGoEachElementGoesToOneOfThemInOrder() async throws {
    for round in 0..<200 {
      let policy: BufferingPolicy = round.isMultiple(of: 2) ? .unbounded : .bufferingOldest(1000)
      let channel = Channel<Int>(keepingUnheard: .unbounded, buffering: policy)
      let count = 100
      let sender = Task {
        for number in 0..<count {
          channel.send(number)
          if number.isMultiple(of: 7) { await Task.yield() }
        }
      }
      var taken: [Int] = []
      while taken.count < count {
        let subscription = channel.outlet.subscribe()
        await giveWay(round % 3)
        // All that is ready, and what comes until it is gone: nothing is left behind, since the sender
        // is done or the next one is waited for.
        taken += try await subscription.take(min(count - taken.count, 1 + round % 5))
        if subscription.pendingCount > 0 {
          taken += try await subscription.take(subscription.pendingCount)
        }
        _ = await sender.value
        while subscription.pendingCount > 0 { taken += try await subscription.take(1) }
      }
      XCTAssertEqual(taken, Array(0..<count), "in round \(round)")
    }
  }

  func test_C64_subscribingAgainstSendingGivesTheFirstAllOfIt() async throws {
    for _ in 0..<500 {
      let channel = Channel<Int>(keepingUnheard: .unbounded)
      let subscriptions = Locked<[Subscription<Int>]>([])
      try await onThreads(3) { lane in
        if lane == 0 {
          for number in 0..<20 { channel.send(number) }
        } else {
          let subscription = channel.outlet.subscribe()
          subscriptions.withLock { $0.append(subscription) }
        }
      }
      channel.finish()
      var all: [[Int]] = []
      for subscription in subscriptions.withLock({ $0 }) {
        all.append(try await subscription.collect())
      }
      // The first has all, and the other the end of it.
      all.sort { $0.count > $1.count }
      XCTAssertEqual(all[0], Array(0..<20))
      XCTAssertEqual(all[1], Array(0..<20).suffix(all[1].count))
    }
  }

  func test_C65c_finishingAgainstSubscribingLeavesItToOneOfThem() async throws {
    for _ in 0..<500 {
      let channel = Channel<Int>(keepingUnheard: .unbounded)
      for number in 0..<3 { channel.send(number) }
      let subscriptions = Locked<[Subscription<Int>]>([])
      try await onThreads(3) { lane in
        if lane == 0 {
          channel.finish()
        } else {
          let subscription = channel.outlet.subscribe()
          subscriptions.withLock { $0.append(subscription) }
        }
      }
      var all: [[Int]] = []
      for subscription in subscriptions.withLock({ $0 }) {
        all.append(try await subscription.collect())
      }
      XCTAssertEqual(all.sorted { $0.count > $1.count }, [[0, 1, 2], []])
    }
  }

  func test_C65a_keepingFewerThanOneTraps() async throws {
    try await assertTraps("kept", saying: "A channel of Int cannot keep 0 elements unheard") {
      _ = Channel<Int>(keepingUnheard: .bufferingNewest(0))
    }
    try await assertTraps("output", saying: "A channel of Int cannot keep -2 elements unheard") {
      _ = Output<Int>(keepingUnheard: .bufferingOldest(-2))
    }
  }
}
