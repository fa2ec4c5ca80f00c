import AsyncChannels
import TestSupport
import XCTest

/// Subscribing after the end, and the end that the owner's going is (C24, C25, C26).
final class AfterTheEndTests: XCTestCase {
  func test_C24_subscribingAfterTheEndEndsAtOnce() async throws {
    for window in [0, 1, 100] {
      let channel = Channel<Int>(replaying: window)
      let early = channel.outlet.subscribe()
      for number in 0..<100 { channel.send(number) }
      channel.finish()
      let late =
        BufferingPolicy.roomy(for: 5).map { channel.outlet.subscribe(buffering: $0) }
        + [channel.outlet.map { $0 }.subscribe()]
      for subscription in late {
        assertEqual(try await subscription.collect(), [])
        XCTAssertEqual(subscription.droppedCount, 0)
      }
      let all = try await early.collect()
      XCTAssertEqual(all.count, 100)
    }
  }

  func test_C24_aFinishedCurrentValueCanBeReadAndNoLongerChanges() async throws {
    let state = CurrentValue(1)
    let early = state.outlet.subscribe()
    state.value = 2
    state.finish()
    state.value = 3
    XCTAssertEqual(state.inlet.send(4), .finished(4))
    XCTAssertEqual(
      state.update { value -> Int in
        value += 10
        return value
      }, 12)
    XCTAssertEqual(state.value, 2)
    assertEqual(try await state.outlet.subscribe().collect(), [])
    assertEqual(try await state.outlet.subscribe(buffering: .bufferingNewest(1)).collect(), [])
    assertEqual(try await early.collect(), [1, 2])
  }

  func test_C24_subscribingWhileItFinishesGivesAllOrNothing() async throws {
    for round in 0..<500 {
      let channel = Channel<Int>(replaying: 3)
      for number in 0..<5 { channel.send(number) }
      let received = try await concurrently(3) { number -> [[Int]] in
        await giveWay((round + number) % 5)
        if number == 0 {
          channel.finish()
          return []
        }
        var received: [[Int]] = []
        for policy in BufferingPolicy.roomy(for: 3) {
          received.append(try await channel.outlet.subscribe(buffering: policy).collect())
        }
        return received
      }
      for elements in received.joined() {
        XCTAssertTrue(elements == [] || elements == [2, 3, 4], "\(elements)")
      }
      XCTAssertEqual(channel.subscriberCount, 0)
    }
  }

  func test_C25_droppingTheLastReferenceFinishesTheChannel() async throws {
    var first: Channel<Int>? = Channel(replaying: 2)
    var second = first
    weak let observed = first
    let (inlet, outlet) = try (XCTUnwrap(first?.inlet), XCTUnwrap(first?.outlet))
    let unread = outlet.subscribe()
    let waiting = [outlet, outlet, outlet, outlet.map { $0 }].map { $0.collecting() }
    try await first?.untilAsleep(4)
    first = nil
    XCTAssertEqual(inlet.send(1), .sent(subscribers: 5), "There is another reference.")
    second?.send(2)
    second = nil
    XCTAssertNil(observed)
    XCTAssertEqual(inlet.send(3), .finished(3))
    assertEqual(try await unread.collect(), [1, 2])
    for consumer in waiting {
      assertEqual(try await consumer.value, [1, 2])
    }
    assertEqual(try await outlet.subscribe().collect(), [])
    withExtendedLifetime((first, second)) {}
  }

  func test_C25_waitingTasksDoNotKeepAChannelAliveThatNobodyFinished() async throws {
    for count in [1, 2, 3, 50] {
      var channel: Channel<Int>? = Channel()
      weak let observed = channel
      let consumers = try (0..<count).map { _ in try XCTUnwrap(channel?.outlet.collecting()) }
      try await channel?.untilAsleep(count)
      channel = nil
      XCTAssertNil(observed)
      for consumer in consumers {
        assertEqual(try await consumer.value, [])
      }
      withExtendedLifetime(channel) {}
    }
  }

  func test_C25_theOutletOfATemporaryEndsAtOnce() async throws {
    assertEqual(try await Channel<Int>().outlet.collect(), [])
    assertEqual(try await CurrentValue(1).outlet.collect(), [])
  }

  func test_C25_nothingKeepsACurrentValueAlive() async throws {
    let census = Census()
    var state: CurrentValue<Tracked>? = CurrentValue(Tracked(1, in: census))
    weak let observed = state
    let inlet = try XCTUnwrap(state?.inlet)
    var outlet = state?.outlet
    let follower = try XCTUnwrap(outlet).map(\.number).collecting()
    inlet.send(Tracked(2, in: census))
    state = nil
    XCTAssertNil(observed)
    guard case .finished = inlet.send(Tracked(3, in: census)) else { return XCTFail("Sent") }
    assertEqual(try await follower.value.last, 2)
    XCTAssertEqual(outlet?.value.number, 2)
    XCTAssertEqual(census.count, 1)
    outlet = nil
    try await until("the last value is gone") { census.count == 0 }
    withExtendedLifetime((state, outlet)) {}
  }

  func test_C26_onceTheChannelIsGoneEveryInletIsRefused() throws {
    for window in [0, 2] {
      let census = Census()
      var channel: Channel<Tracked>? = Channel(replaying: window)
      let inlet = try XCTUnwrap(channel?.inlet)
      let inlets = [inlet, inlet, inlet.contramap { $0 }]
      for inlet in inlets {
        guard case .sent = inlet.send(Tracked(1, in: census)) else { return XCTFail("Refused") }
      }
      XCTAssertEqual(census.count, window)
      channel = nil
      XCTAssertEqual(census.count, 0)
      for inlet in inlets {
        guard case .finished = inlet.send(Tracked(2, in: census)) else { return XCTFail("Sent") }
      }
      XCTAssertEqual(census.count, 0)
      withExtendedLifetime(channel) {}
    }
  }

  func test_C26_whatConcurrentSendersWereNotRefusedIsExactlyWhatWasDelivered() async throws {
    for round in 0..<300 {
      var channel: Channel<Stamp>? = Channel()
      let (inlet, outlet) = try (XCTUnwrap(channel?.inlet), XCTUnwrap(channel?.outlet))
      let consumers = (0..<3).map { _ in outlet.collecting() }
      let senders = (0..<2).map { sender in
        Task {
          var number = 0
          while case .sent = inlet.send(Stamp(sender: sender, number: number)) {
            number += 1
            if number.isMultiple(of: 16) { await Task.yield() }
          }
          return number
        }
      }
      await giveWay(round % 10)
      channel = nil
      guard case .finished = inlet.send(Stamp(sender: 9, number: 0)) else {
        return XCTFail("The channel is gone")
      }
      var counts: [Int] = []
      for sender in senders { counts.append(try await sender.result()) }
      for consumer in consumers {
        let received = try await consumer.value
        XCTAssertEqual(received.numbers(of: 0), Array(0..<counts[0]))
        XCTAssertEqual(received.numbers(of: 1), Array(0..<counts[1]))
        XCTAssertEqual(received.count, counts[0] + counts[1])
      }
      withExtendedLifetime(channel) {}
    }
  }
}
