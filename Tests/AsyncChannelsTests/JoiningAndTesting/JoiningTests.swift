import AsyncChannelsTesting
import TestSupport
import XCTest

@testable import AsyncChannels

/// C58, C59: the small ends.
final class JoiningTests: XCTestCase {
  func test_C58_anOutputsInletIsItsChannelsInlet() async throws {
    var output = Optional(Output<Int>(replaying: 1))
    let inlet = try XCTUnwrap(output?.inlet)
    XCTAssertEqual(inlet, output?.inlet)
    let received = try XCTUnwrap(output?.outlet.collecting())
    XCTAssertEqual(output?.send(1), .sent(subscribers: 1))
    XCTAssertEqual(inlet.send(2), .sent(subscribers: 1))
    await Outlet.just(3, 4).bind(to: inlet)
    // C25, C26: it does not keep the output alive.
    output = nil
    XCTAssertEqual(inlet.send(5), .finished(5))
    let all = try await received.value
    XCTAssertEqual(all, [1, 2, 3, 4])
  }

  func test_C58_anEmptyOutletEndsAndGivesNothing() async throws {
    let outlet = Outlet<Int>.empty
    for _ in 0..<2 {
      let received = try await outlet.collect()
      XCTAssertEqual(received, [])
    }
    let derived = try await outlet.subscribe(buffering: .bufferingNewest(1)).map { $0 }.collect()
    XCTAssertEqual(derived, [])
  }

  func test_C58_anOutletOfNothingGivesNothingAndEndsWithItsConsumersTask() async throws {
    let outlet = Outlet<Int>.never
    let subscription = outlet.subscribe()
    let consumers = [subscription.consuming(), outlet.map { $0 }.subscribe().consuming()]
    let probe = Probe(outlet)
    // Others are dropped while these wait.
    _ = outlet.subscribe()
    try await probe.expectNothing(for: .seconds(1), clock: JumpingClock())
    for consumer in consumers { consumer.cancel() }
    for consumer in consumers {
      let received = try await consumer.result()
      XCTAssertEqual(received, [])
    }
    XCTAssertFalse(subscription.takeNow().result == .finished)
  }

  func test_C59_aTokenEqualsItselfOnly() {
    let outlet = Outlet<Int>.never
    let (one, other) = (outlet.observe { _ in }, outlet.observe { _ in })
    XCTAssertEqual(one, one)
    XCTAssertNotEqual(one, other)
    var tokens: Set<CancellationToken> = []
    for token in [one, other, one] { token.store(in: &tokens) }
    XCTAssertEqual(tokens.count, 2)
    XCTAssert(tokens.contains(one) && tokens.contains(other))
  }

  func test_C59_aSetKeepsItsTokensAndEndsThemWhenTheyAreTakenOutOrItIsDropped() async throws {
    let channel = Channel<Int>()
    let calls = Record<Int>()
    var tokens: Set<CancellationToken> = []
    channel.outlet.observe { calls.add($0) }.store(in: &tokens)
    channel.outlet.observe { calls.add($0 * 10) }.store(in: &tokens)
    let first = try XCTUnwrap(tokens.first)
    channel.send(1)
    try await until("both called") { calls.count == 2 }
    // Still held here.
    tokens.remove(first)
    channel.send(2)
    try await until("both called") { calls.count == 4 }
    XCTAssertEqual(Set(calls.events), [1, 10, 2, 20])
    first.store(in: &tokens)
    tokens = []
    withExtendedLifetime(first) { XCTAssertEqual(tokens.count, 0) }
    first.cancel()
    try await until("all unsubscribed") { channel.subscriberCount == 0 }
  }

  func test_C59_aTokenThatOnlyTheSetHeldEndsWhenItIsTakenOut() async throws {
    let channel = Channel<Int>()
    var tokens: Set<CancellationToken> = []
    for _ in 0..<2 { channel.outlet.observe { _ in }.store(in: &tokens) }
    XCTAssertEqual(channel.subscriberCount, 2)
    tokens.removeFirst()
    try await until("one unsubscribed") { channel.subscriberCount == 1 }
    tokens.removeAll()
    try await until("all unsubscribed") { channel.subscriberCount == 0 }
  }
}
