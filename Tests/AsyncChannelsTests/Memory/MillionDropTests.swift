import TestSupport
import XCTest

@testable import AsyncChannels

/// Dropping a million elements, whatever held them (C36). A twentieth of them is far more than a small stack has room
/// for, too.
final class MillionDropTests: XCTestCase {
  private let million = Length.rounds(1_000_000)

  func test_C36_aSubscriptionsMillionIsReleasedOnASmallStackWhateverItsPolicy() async throws {
    for policy in [BufferingPolicy.unbounded, .bufferingNewest(million), .bufferingOldest(million)]
    {
      let channel = Channel<Tracked>(buffering: policy)
      try await expectRelease("\(policy)") { census in
        let subscription = channel.outlet.subscribe()
        for number in 0..<million { channel.send(Tracked(number, in: census)) }
        return subscription
      }
      XCTAssertEqual(channel.subscriberCount, 0)
    }
  }

  func test_C36_aSubscriptionsMillionIsReleasedOnASmallStackAfterItsChannelIsGone() async throws {
    try await expectRelease("the last of all") { census in
      let channel = Channel<Tracked>()
      let subscription = channel.outlet.subscribe()
      for number in 0..<million { channel.send(Tracked(number, in: census)) }
      return subscription
    }
  }

  func test_C36_aReplayWindowOfAMillionIsReleasedOnASmallStackWithItsChannel() async throws {
    try await expectRelease("a channel") { replaying(million, in: $0) }
  }

  func test_C36_aMillionReplayedElementsAreReleasedOnASmallStackWithTheirSubscription()
    async throws
  {
    try await expectRelease("a subscription") { census in
      let channel = replaying(million, in: census)
      return channel.outlet.subscribe()
    }
  }

  private func replaying(_ count: Int, in census: Census) -> Channel<Tracked> {
    let channel = Channel<Tracked>(replaying: count)
    for number in 0..<count { channel.send(Tracked(number, in: census)) }
    return channel
  }

  /// - Parameter make: Returns the only thing that holds a million elements.
  private func expectRelease(
    _ what: String, line: UInt = #line, make: (Census) -> any Sendable
  ) async throws {
    let census = Census()
    let holder = HandOver(make(census))
    XCTAssertEqual(census.count, million, what, line: line)
    try await onSmallStack { _ = holder.take() }
    XCTAssertEqual(census.count, 0, what, line: line)
  }
}
