import TestSupport
import XCTest

@testable import AsyncChannels

/// A `Stage` is an actor whose jobs the test runs, one by one where it matters.
final class ObserveTests: XCTestCase {
  func test_C47a_nothingSentAfterItReturnedIsMissed() async throws {
    let channel = Channel<Int>(replaying: 1)
    channel.send(0)
    channel.send(1)
    let calls = Record<Int>()
    let token = channel.outlet.observe { calls.add($0) }
    // At once: its task has hardly begun.
    for number in 2..<500 { channel.send(number) }
    try await until("all called") { calls.count == 499 }
    XCTAssertEqual(calls.events, Array(1..<500))
    withExtendedLifetime(token) {}
  }

  func test_C47a_observingEndsWithTheChannelAfterWhatWasSent() async throws {
    var channel = Optional(Channel<Int>())
    let calls = Record<Int>()
    let held = Census()
    let token = channel?.outlet.observe { [witness = Tracked(0, in: held)] number in
      calls.add(number + witness.number)
    }
    for number in 0..<10 { channel?.send(number) }
    channel = nil
    try await until("the body is let go") { held.count == 0 }
    XCTAssertEqual(calls.events, Array(0..<10))
    withExtendedLifetime(token) {}
  }

  func test_C47b_anActorsBodyRunsInThatActor() async throws {
    let channel = Channel<Int>()
    let stage = Stage()
    let calls = Record<Int>()
    let token = try await stage.perform { $0.observe(channel.outlet, calls) }
    channel.send(1)
    channel.send(2)
    try await stage.untilJobs(1)
    // Only the stage can call it, and the stage waits for us.
    XCTAssertEqual(calls.events, [])
    try await stage.drain(until: "both called") { calls.count == 2 }
    XCTAssertEqual(calls.events, [1, 2])
    withExtendedLifetime(token) {}
  }

  @MainActor
  func test_C47b_aMainActorBodyRunsOnTheMainActor() async throws {
    let channel = Channel<Int>()
    let inlet = Channel<Int>()
    let calls = Record<Int>()
    let unguarded = Counter()
    let tokens = [
      channel.outlet.observe { number in
        MainActor.preconditionIsolated()
        unguarded.count += 1
        calls.add(number)
      },
      channel.outlet.observe { number in
        MainActor.preconditionIsolated()
        calls.add(number)
        return inlet.send(number)
      },
    ]
    for number in 1...3 { channel.send(number) }
    // The main actor is ours until the next `await`.
    XCTAssertEqual(calls.events, [])
    try await until("all called") { calls.count == 6 }
    XCTAssertEqual(unguarded.count, 3)
    withExtendedLifetime(tokens) {}
  }

  func test_C47c_oneCallAtATimeAlsoWhenTheBodySuspends() async throws {
    let channel = Channel<Int>()
    let calls = Record<String>()
    let gates = [Gate(), Gate(), Gate()]
    let token = channel.outlet.observe { number in
      calls.add("begin \(number)")
      await gates[number].pass()
      calls.add("end \(number)")
    }
    for number in 0..<3 { channel.send(number) }
    try await until("the first call") { calls.count > 0 }
    gates[2].open()
    gates[1].open()
    // Time enough for others to begin, were they not to wait.
    for _ in 0..<100 { await Task.yield() }
    gates[0].open()
    try await until("all ended") { calls.count == 6 }
    XCTAssertEqual(calls.events, (0..<3).flatMap { ["begin \($0)", "end \($0)"] })
    withExtendedLifetime(token) {}
  }

  func test_C47b_aFunctionThatReturnsASendResultCanObserve() async throws {
    let taps = Channel<Int>()
    let signIn = Channel<Int>()
    let signIns = signIn.outlet.subscribe()
    let token = taps.outlet.observe(signIn.inlet.send)
    for number in 0..<100 { taps.send(number) }
    assertEqual(try await signIns.take(100), Array(0..<100))
    // It does not stop at the end of where it sends to, but when it is told.
    signIn.finish()
    taps.send(100)
    try await taps.untilAsleep(1)
    XCTAssertEqual(taps.subscriberCount, 1)
    token.cancel()
    token.cancel()
    try await until("unsubscribed") { taps.subscriberCount == 0 }
  }

  func test_C47f_theBodyMayCancelItsOwnToken() async throws {
    let channel = Channel<Int>()
    let calls = Record<Int>()
    let token = Record<CancellationToken>()
    let isKept = Gate()
    token.add(
      channel.outlet.observe { number in
        await isKept.pass()
        calls.add(number)
        if number == 2 { token.events[0].cancel() }
      })
    for number in 0..<5 { channel.send(number) }
    isKept.open()
    try await until("unsubscribed") { channel.subscriberCount == 0 }
    XCTAssertEqual(calls.events, [0, 1, 2])
  }
}

@MainActor
private final class Counter {
  var count = 0
}

extension Stage {
  /// Observes with a body of this actor, of either kind.
  func observe(
    _ outlet: Outlet<Int>, _ calls: Record<Int>, sends: Bool = false
  ) -> CancellationToken {
    guard sends else {
      return outlet.observe { number in
        self.preconditionIsolated()
        calls.add(number)
      }
    }
    return outlet.observe { number in
      self.preconditionIsolated()
      calls.add(number)
      return SendResult<Int>.sent(subscribers: 1)
    }
  }
}
