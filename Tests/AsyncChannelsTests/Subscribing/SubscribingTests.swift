import AsyncChannels
import TestSupport
import XCTest

final class SubscribingTests: XCTestCase {
  func test_C8_aSubscriptionBeginsExactlyWhereItWasMade() async throws {
    for before in [0] + countsAroundSegments {
      // With another subscriber the earlier elements are in the log, without one nowhere.
      for isAlone in [true, false] {
        let channel = Channel<Int>()
        let other = isAlone ? nil : channel.outlet.subscribe()
        for number in 0..<before { channel.send(number) }
        let subscriptions = BufferingPolicy.roomy(for: 70).map {
          channel.outlet.subscribe(buffering: $0)
        }
        let derived = channel.outlet.map { $0 }.subscribe()
        for number in before..<before + 70 { channel.send(number) }
        channel.finish()
        for subscription in subscriptions + [derived] {
          assertEqual(try await subscription.collect(), Array(before..<before + 70))
        }
        let all = try await other?.collect()
        XCTAssertEqual(all?.count, isAlone ? nil : before + 70)
      }
    }
  }

  func test_C8_anIteratorBeginsExactlyWhereItWasMade() async throws {
    for before in [0, 1, 63, 64, 65] {
      let received = try await within {
        let channel = Channel<Int>()
        let keeper = channel.outlet.subscribe()
        for number in 0..<before { channel.send(number) }
        let iterator = channel.outlet.makeAsyncIterator()
        for number in before..<before + 66 { channel.send(number) }
        channel.finish()
        var received: [Int] = []
        while let number = await iterator.next() { received.append(number) }
        withExtendedLifetime(keeper) {}
        return received
      }
      XCTAssertEqual(received, Array(before..<before + 66))
    }
  }

  func test_C8_whatIsSentAfterSubscribingIsDeliveredWhateverOthersSend() async throws {
    let channel = Channel<Stamp>()
    _ = try await concurrently(4) { sender in
      for number in 0..<300 {
        channel.send(Stamp(sender: sender, number: -number - 1))  // before: not delivered
        let subscription = channel.outlet.subscribe()
        channel.send(Stamp(sender: sender, number: number))
        let own = try await within {
          await subscription.first { $0.sender == sender }
        }
        XCTAssertEqual(own?.number, number)
      }
    }
  }

  func test_C11_equalElementsAreNotConflated() async throws {
    let channel = Channel<Int>(replaying: 4)
    let state = CurrentValue(7)
    let plain = [channel.outlet, state.outlet.outlet].map { $0.collecting() }
    let distinct = [channel.outlet, state.outlet.outlet].map { $0.removeDuplicates().collecting() }
    for number in [7, 7, 7, 8, 8, 7] {
      channel.send(number)
      state.value = number
    }
    let late = channel.outlet.collecting()
    channel.finish()
    state.finish()
    let ofChannel = try await (plain[0].value, distinct[0].value)
    XCTAssertEqual(ofChannel.0, [7, 7, 7, 8, 8, 7])
    XCTAssertEqual(ofChannel.1, [7, 8, 7])
    let ofState = try await (plain[1].value, distinct[1].value)
    XCTAssertEqual(ofState.0, [7, 7, 7, 7, 8, 8, 7])
    XCTAssertEqual(ofState.1, [7, 8, 7])
    assertEqual(try await late.value, [7, 8, 8, 7])
  }

  func test_C12_sendingToNobodyIsSafeAndStoresNothing() async throws {
    let census = Census()
    let channel = Channel<Tracked>()
    for number in 0..<200 {
      guard case .sent(subscribers: 0) = channel.send(Tracked(number, in: census)) else {
        return XCTFail("Nobody is subscribed")
      }
      XCTAssertEqual(census.count, 0)
    }
    _ = try await concurrently(4) { sender in
      for number in 0..<500 { channel.inlet.send(Tracked(number, in: census)) }
    }
    XCTAssertEqual(census.count, 0)
  }

  func test_C12_whoHasLeftIsStoredNothingForEither() async throws {
    let census = Census()
    let channel = Channel<Tracked>()
    for policy in BufferingPolicy.roomy(for: 100) {
      var subscription: Subscription<Tracked>? = channel.outlet.subscribe(buffering: policy)
      for number in 0..<100 { channel.send(Tracked(number, in: census)) }
      assertEqual(try await subscription?.take(30).map(\.number), Array(0..<30))
      XCTAssertEqual(census.count, 70)
      subscription = nil
      XCTAssertEqual(census.count, 0)
      channel.send(Tracked(0, in: census))
      XCTAssertEqual(census.count, 0)
    }
  }

  func test_C12_withNobodyListeningOnlyTheReplayWindowIsStored() {
    for window in [1, 3, 64, 100] {
      let census = Census()
      let channel = Channel<Tracked>(replaying: window)
      for number in 0..<300 {
        channel.send(Tracked(number, in: census))
        XCTAssertEqual(census.count, min(window, number + 1))
      }
      channel.finish()
      XCTAssertEqual(census.count, 0)
    }
  }
}
