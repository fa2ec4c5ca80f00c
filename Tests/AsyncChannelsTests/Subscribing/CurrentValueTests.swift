import AsyncChannels
import Synchronization
import XCTest

/// C10.
final class CurrentValueTests: XCTestCase {
  @MainActor
  private final class Owner {
    @CurrentValue var count = 0
  }

  /// Spends some time between a reading and a writing, so that others get their chance.
  private static func linger() {
    let steps = Atomic(0)
    while steps.wrappingAdd(1, ordering: .relaxed).newValue < 100 {}
  }

  private struct Refusal: Error {}

  func test_C10_aNewSubscriberGetsTheValueOfThatMomentThenEachLaterOne() async throws {
    let state = CurrentValue(0)
    var consumers: [(began: Int, Task<[Int], any Error>)] = []
    for number in 1...300 {
      if number.isMultiple(of: 30) {
        for policy in BufferingPolicy.roomy(for: 400) {
          consumers.append((number - 1, state.outlet.collecting(buffering: policy)))
        }
      }
      state.value = number
    }
    state.finish()
    for (began, consumer) in consumers {
      assertEqual(try await consumer.value, Array(began...300))
    }
  }

  func test_C10_aPropertyIsReadWrittenAndFollowed() async throws {
    let follower = await MainActor.run {
      let owner = Owner()
      let follower = owner.$count.collecting()
      owner.count = 5
      XCTAssertEqual(owner.count, 5)
      owner.count += 1
      XCTAssertEqual(owner.count, 6)
      return follower  // The owner goes here, and that ends its outlet.
    }
    assertEqual(try await follower.value, [0, 5, 6])
  }

  func test_C10_everyWayOfWritingStoresAndPublishesInOneOrder() async throws {
    let state = CurrentValue("")
    let follower = state.projectedValue.collecting()
    state.value = "a"
    XCTAssertEqual(state.value, "a")
    XCTAssertEqual(state.inlet.send("b"), .sent(subscribers: 1))
    XCTAssertEqual(state.value, "b")
    state.wrappedValue = "c"
    XCTAssertEqual(state.wrappedValue, "c")
    let count = state.update { value in
      value += "d"
      return value.count
    }
    XCTAssertEqual(count, 2)
    XCTAssertEqual(state.value, "cd")
    state.inlet.contramap { (number: Int) in "\(number)" }.send(1)
    state.finish()
    assertEqual(try await follower.value, ["", "a", "b", "c", "cd", "1"])
  }

  func test_C10_anUpdateThatThrowsChangesAndPublishesNothing() async throws {
    let state = CurrentValue(1)
    let follower = state.outlet.collecting()
    XCTAssertThrowsError(
      try state.update { value in
        value = 2
        throw Refusal()
      })
    XCTAssertEqual(state.value, 1)
    state.update { $0 += 10 }  // The writers' lock was let go.
    state.finish()
    assertEqual(try await follower.value, [1, 11])
  }

  func test_C10_updateLosesNoConcurrentUpdate() async throws {
    let state = CurrentValue(0)
    let followers = (0..<3).map { _ in state.outlet.collecting() }
    let seen = try await concurrently(4) { _ in
      (0..<1000).map { _ in
        state.update { count -> Int in
          let old = count
          Self.linger()
          count = old + 1
          return count
        }
      }
    }
    XCTAssertEqual(state.value, 4000)
    XCTAssertEqual(seen.joined().sorted(), Array(1...4000))
    state.finish()
    for follower in followers {
      assertEqual(try await follower.value, Array(0...4000))
    }
  }

  func test_C10_aPlainWriteNeverComesBetweenTheReadingAndTheWritingOfAnUpdate() async throws {
    let state = CurrentValue((updates: 0, writes: 0))
    let follower = state.outlet.collecting()
    _ = try await concurrently(3) { number in
      for round in 1...500 {
        if number == 0 {
          state.value = (updates: 0, writes: round)
        } else {
          state.update { value in
            let old = value.updates
            Self.linger()
            value.updates = old + 1
          }
        }
      }
    }
    state.finish()
    // Each published value is the one before it with exactly one change applied.
    let published = try await follower.value
    XCTAssertEqual(published.count, 1501)
    for (old, new) in zip(published, published.dropFirst()) {
      let isUpdate = new == (old.updates + 1, old.writes)
      let isWrite = new == (0, old.writes + 1)
      XCTAssertTrue(isUpdate || isWrite, "\(old) -> \(new)")
    }
  }

  func test_C10_subscribingWhileOthersUpdateFindsNoSeam() async throws {
    let state = CurrentValue(0)
    let followers = try await concurrently(3) { number -> [Task<[Int], any Error>] in
      var followers: [Task<[Int], any Error>] = []
      for round in 0..<1500 {
        if number > 0 {
          state.update { $0 += 1 }
        } else if round.isMultiple(of: 25) {
          followers.append(state.outlet.collecting())
          await giveWay(round % 3)
        }
      }
      return followers
    }
    state.finish()
    for follower in followers.joined() {
      let received = try await follower.value
      let first = try XCTUnwrap(received.first)
      XCTAssertEqual(received, Array(first...3000))
    }
  }

  func test_C10_whatIsPublishedIsAlreadyStored() async throws {
    let state = CurrentValue(0)
    let stale = Atomic(0)
    let reader = Task { [outlet = state.outlet, state] in
      for await number in outlet where state.value < number {
        stale.add(1, ordering: .relaxed)
      }
    }
    for number in 1...2000 {
      state.value = number
      if number.isMultiple(of: 50) { await Task.yield() }
    }
    state.finish()
    try await reader.result()
    XCTAssertEqual(stale.load(ordering: .relaxed), 0)
  }

  func test_C10_onlyTheNewestValueIsKept() {
    let census = Census()
    let state = CurrentValue(Tracked(0, in: census))
    for number in 1...100 {
      state.value = Tracked(number, in: census)
      XCTAssertEqual(census.count, 1)
      state.update { $0 = Tracked(number, in: census) }
      XCTAssertEqual(census.count, 1)
    }
  }
}
