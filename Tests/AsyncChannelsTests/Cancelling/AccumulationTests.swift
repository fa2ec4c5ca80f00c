import AsyncChannels
import XCTest

/// What nobody consumes.
final class AccumulationTests: XCTestCase {
  func test_C33_endsThatNobodyIteratesAccumulateNothing() async throws {
    let census = Census()
    let channel = Channel<Tracked>()
    let ends = (channel.inlet, channel.outlet, channel.outlet.filter { _ in true })
    for number in 0..<1_000 {
      channel.send(Tracked(number, in: census))
      XCTAssertEqual(census.count, 0)
    }
    withExtendedLifetime(ends) {}
  }

  func test_C33_aSubscriptionThatNobodyIteratesHoldsWhatItsPolicyAllows() async throws {
    let census = Census()
    let channel = Channel<Tracked>()
    let newest = channel.outlet.subscribe(buffering: .bufferingNewest(3))
    let oldest = channel.outlet.subscribe(buffering: .bufferingOldest(4))
    for number in 0..<1_000 {
      channel.send(Tracked(number, in: census))
      XCTAssertLessThanOrEqual(census.count, 7)
    }
    XCTAssertEqual(census.count, 7)
    let held = try await (newest.take(3) + oldest.take(4)).map(\.number)
    XCTAssertEqual(held, [997, 998, 999, 0, 1, 2, 3])
    XCTAssertEqual(census.count, 0)
  }

  func test_C33_anUnboundedSubscriptionHoldsWhatIsSentAfterItWasMadeAndNoMore() async throws {
    let census = Census()
    let channel = Channel<Tracked>()
    for number in 0..<10 { channel.send(Tracked(number, in: census)) }
    let subscription = channel.outlet.subscribe()
    for number in 0..<200 { channel.send(Tracked(number, in: census)) }
    XCTAssertEqual(census.count, 200)
    withExtendedLifetime(subscription) {}
  }
}
