import AsyncChannelsRecording
import Foundation
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// Synchronous observers on the main actor share its turns.
@MainActor
final class ObserverTurnTests: XCTestCase {
  private func observe(
    _ states: [CurrentValue<Int>], _ calls: Record<Int>
  ) -> [CancellationToken] {
    let tokens = states.enumerated().map { index, state in
      state.outlet.observe { _ in calls.add(index) }
    }
    _ = calls.take()
    return tokens
  }

  /// A turn ends after a millisecond, so on a busy machine not each round shows it.
  func test_C117a_allThatWereRungShareATurnInTheOrderInWhichTheyWereRung() async throws {
    let states = (0..<4).map { CurrentValue($0) }
    let calls = Record<Int>()
    let tokens = observe(states, calls)
    var isShared = false
    for round in 1...1_000 where !isShared {
      states[2].value = round
      // This comes behind the turn that the first write has called, and before any other.
      let marker = Task { calls.add(-1) }
      for state in [states[3], states[1], states[0]] { state.value = round }
      await marker.value
      try await until("all called") { calls.count == 5 }
      let order = calls.take()
      XCTAssertEqual(order.filter { $0 >= 0 }, [2, 3, 1, 0])
      isShared = order.last == -1
    }
    XCTAssert(isShared)
    withExtendedLifetime(tokens) {}
  }

  func test_C117b_aTurnEndsAfter64CallsAndTheNextOneServesTheRest() async throws {
    let states = (0..<200).map { CurrentValue($0) }
    let calls = Record<Int>()
    let tokens = observe(states, calls)
    for state in states { state.value = -1 }
    let marker = Task { calls.count }
    let count = await marker.value
    XCTAssertLessThanOrEqual(count, 64)
    try await until("all called") { calls.count == 200 }
    XCTAssertEqual(calls.events, Array(0..<200))
    withExtendedLifetime(tokens) {}
  }

  /// The last turn may have used up its 64 calls, and nobody stands in line: another turn would find nothing.
  func test_C117b_noTurnIsCalledWhenNobodyStandsInLine() async throws {
    // Where a turn ends after its millisecond, and not after 64 calls, more than one turn serves a round.
    for _ in 0..<20 {
      let callsBeforeTurns = try await callsBeforeTurnsForAll()
      XCTAssertEqual(callsBeforeTurns.first, 0)
      XCTAssertLessThan(try XCTUnwrap(callsBeforeTurns.last), 64)
      let isIncreasing = zip(callsBeforeTurns, callsBeforeTurns.dropFirst()).allSatisfy(<)
      XCTAssert(isIncreasing, "a turn without a call: \(callsBeforeTurns)")
    }
  }

  /// How many of 64 calls had come whenever a turn was called.
  private func callsBeforeTurnsForAll() async throws -> [Int] {
    let (before, calls) = (Record<Int>(), Record<Int>())
    let queue = ListenerQueue { enqueueTurn in
      before.add(calls.count)
      enqueueTurn()
    }
    let state = CurrentValue(0)
    // No other thread begins to listen before this is set back.
    ListenerQueue.replace { _ in queue }
    let token = state.outlet.observe { if $0 > 0 { calls.add($0) } }
    ListenerQueue.replace(by: nil)
    for number in 1...64 { state.value = number }
    try await until("all called") { calls.count == 64 }
    await Task { @MainActor in }.value
    // The end of the token calls a turn, too.
    return withExtendedLifetime(token) { before.events }
  }

  /// What is asked for the line of a test is called as directly as the first time, however often that was.
  func test_theLineOfATestIsFoundAtTheSameDepthEachTime() {
    let depths = Record<Int>()
    ListenerQueue.replace { _ in
      // Another thread may ask, too.
      if Thread.isMainThread { depths.add(Thread.callStackReturnAddresses.count) }
      return nil
    }
    for _ in 0..<100 { _ = ListenerQueue.replacement(for: nil) }
    ListenerQueue.replace(by: nil)
    XCTAssertEqual(depths.count, 100)
    XCTAssertEqual(Set(depths.events).count, 1)
  }

  func test_C117c_oneThatHasMoreStandsLast() async throws {
    let (many, one) = (Channel<Int>(), Channel<Int>())
    let calls = Record<Int>()
    let tokens = [
      many.outlet.observe { calls.add($0) }, one.outlet.observe { calls.add(-$0) },
    ]
    for number in 1...100 { many.send(number) }
    one.send(1)
    try await until("all called") { calls.count == 101 }
    XCTAssertLessThanOrEqual(try XCTUnwrap(calls.events.firstIndex(of: -1)), 64)
    XCTAssertEqual(calls.events.filter { $0 > 0 }, Array(1...100))
    withExtendedLifetime(tokens) {}
  }

  func test_C117a_aBodyMayWriteToWhatOthersObserveAndCancelThem() async throws {
    let states = (0..<3).map { _ in CurrentValue(0) }
    let calls = Record<Int>()
    let seen = Seen()
    seen.tokens = [
      states[0].outlet.observe { number in
        calls.add(number)
        guard number > 0 else { return }
        seen.tokens[1].cancel()
        states[2].value = 10
      },
      states[1].outlet.observe { _ in calls.add(-1) },
      states[2].outlet.observe { calls.add($0) },
    ]
    XCTAssertEqual(calls.take(), [0, -1, 0])
    states[0].value = 1
    states[1].value = 1
    try await until("all called") { calls.count == 2 }
    try await until("unsubscribed") { states[1].subscriberCount == 0 }
    XCTAssertEqual(calls.events, [1, 10])
  }

  func test_C117a_derivedStateIsObservedWithoutATask() async throws {
    let (one, two) = (CurrentValue(1), CurrentValue(10))
    let (all, large, newest) = (Record<Int>(), Record<Int>(), Record<Int>())
    let both = StateOutlet.combine(one.outlet, two.outlet).map { $0 + $1 }
    let tokens = [
      both.observe { all.add($0) },
      both.outlet.filter { $0 > 100 }.observe { large.add($0) },
      both.observe(buffering: .bufferingNewest(1)) { newest.add($0) },
    ]
    XCTAssertEqual([all, large, newest].map(\.events), [[11], [], [11]])
    one.value = 2
    two.value = 200
    try await until("all called") { large.count == 1 && newest.events.last == 202 }
    XCTAssertEqual([all, large, newest].map(\.events.last), [202, 202, 202])
    two.value = 300
    for token in tokens { token.cancel() }
    try await until("unsubscribed") { one.subscriberCount + two.subscriberCount == 0 }
    XCTAssertEqual([all, large, newest].map(\.count), [2, 1, 2])
  }

  func test_C47b_eachKindOfBodyCanObserve() async throws {
    let (state, target) = (CurrentValue(0), Channel<Int>(replaying: 4))
    let calls = Record<Int>()
    let tokens = [
      state.outlet.observe { calls.add($0) },
      state.outlet.observe { number in
        await Task.yield()
        calls.add(number)
      },
      state.outlet.observe { target.send($0) },
      state.outlet.observe { number in
        await Task.yield()
        return target.send(number)
      },
      state.outlet.outlet.observe { number in
        await Task.yield()
        return target.send(number)
      },
      state.outlet.outlet.observe(target.inlet.send),
    ]
    try await until("all called") { calls.count == 2 }
    assertEqual(try await target.outlet.take(4), [0, 0, 0, 0])
    for token in tokens { token.cancel() }
    try await until("unsubscribed") { state.subscriberCount == 0 }
  }

  func test_C47f_aClosureOfADerivedOutletThatCancelsIsFollowedByNoCall() async throws {
    let (channel, calls) = (Channel<Int>(), Record<Int>())
    let token = Mutex<CancellationToken?>(nil)
    let derived = channel.outlet.map { number in
      if number == 2 { token.withLock { $0 }?.cancel() }
      return number
    }
    let observing = derived.observe { calls.add($0) }
    token.withLock { $0 = observing }
    for number in 1...3 { channel.send(number) }
    try await until("unsubscribed") { channel.subscriberCount == 0 }
    XCTAssertEqual(calls.events, [1])
    token.withLock { $0 = nil }
  }

  /// What the body has caught is let go on the main actor, wherever the token was cancelled.
  func test_C117d_theBodyIsLetGoOnTheMainActor() async throws {
    for ends in [false, true] {
      let held = Census()
      let (state, isLetGo) = (CurrentValue(0), Gate())
      let token = HandOver(
        state.outlet.observe { [onMain = OnMain(isLetGo), witness = Tracked(0, in: held)] _ in
          _ = (onMain, witness)
        })
      XCTAssertEqual(held.count, 1)
      onAnotherThread {
        if ends { state.finish() } else { _ = token.take() }
      }
      XCTAssertEqual(held.count, 1)
      try await within { await isLetGo.pass() }
      try await until("let go") { held.count == 0 }
      XCTAssertEqual(state.subscriberCount, 0)
      withExtendedLifetime(token) {}
    }
  }

  /// The first call comes before `observe` returns, of however many states.
  func test_C47d_aStateOfManyHasItsFirstCallAtOnce() {
    let states = (0..<100).map { CurrentValue($0) }
    let sum = states.dropFirst().reduce(states[0].outlet) { sum, state in
      StateOutlet.combine(sum, state.outlet).map { $0 + $1 }
    }
    let sums = Record<Int>()
    let token = sum.observe { sums.add($0) }
    XCTAssertEqual(sums.events, [4_950])
    withExtendedLifetime(token) {}
  }

  /// What ends lets go of what its body has caught, which may take its time.
  func test_C117b_aTurnEndsAfter64ObserversThatEnd() async throws {
    let (state, census) = (CurrentValue(0), Census())
    let tokens = (0..<200).map { number in
      state.outlet.observe { [witness = Tracked(number, in: census)] _ in _ = witness }
    }
    XCTAssertEqual(census.count, 200)
    for token in tokens { token.cancel() }
    let marker = Task { census.count }
    let count = await marker.value
    // Fewer have ended if a millisecond was over.
    XCTAssertGreaterThanOrEqual(count, 200 - 64)
    try await until("all let go") { census.count == 0 }
  }

  /// Writers on other threads, cancelling at random: nobody is forgotten, and nobody is called after it was cancelled.
  func test_C117a_nobodyIsForgottenThoughOthersWriteAndCancel() async throws {
    for round in 0..<20 {
      let states = (0..<40).map { _ in CurrentValue(0) }
      let seen = Seen()
      let tokens = states.enumerated().map { index, state in
        state.outlet.observe { number in
          if seen.isCancelled[index] { seen.callsTooMany += 1 }
          seen.newest[index] = number
        }
      }
      let writers = (0..<4).map { writer in
        Task.detached {
          for number in 1...100 {
            for index in stride(from: writer, to: 40, by: 4) { states[index].value = number }
          }
        }
      }
      for index in stride(from: round % 7, to: 40, by: 7) {
        await Task.yield()
        tokens[index].cancel()
        seen.isCancelled[index] = true
      }
      for writer in writers { await writer.value }
      try await within { @MainActor in
        for (index, state) in states.enumerated() {
          while seen.isCancelled[index] ? state.subscriberCount > 0 : seen.newest[index] < 100 {
            await Task.yield()
          }
        }
      }
      XCTAssertEqual(seen.callsTooMany, 0)
      withExtendedLifetime(tokens) {}
    }
  }

  /// All calls of a turn are one task's, and the first call is the caller's.
  func test_C86d_observersThatShareATurnCauseWhatTheySendThemselves() async throws {
    let channels = (0..<3).map { _ in Channel<Int>() }
    let (first, effects) = (CurrentValue(0), Channel<Int>())
    let calls = Record<Int>()
    let recording = Recording()
    for (index, channel) in channels.enumerated() { recording.add(channel, as: "in\(index)") }
    recording.add(effects, as: "effects")
    recording.add(first, as: "first")
    let sends: @MainActor @Sendable (Int) -> Void = { number in
      effects.send(number)
      calls.add(number)
    }
    first.value = -1
    let tokens = channels.map { $0.outlet.observe(sends) } + [first.outlet.observe(sends)]
    XCTAssertEqual(calls.count, 1)
    for (index, channel) in channels.enumerated() {
      for number in 1...50 { channel.send(index * 100 + number) }
    }
    try await until("all called") { calls.count == 151 }
    let flow = recording.flow
    let sent = flow.events.filter { $0.kind == .sent }
    let lanes = Dictionary(uniqueKeysWithValues: sent.map { ($0.id, flow.lanes[$0.lane].name) })
    let texts = Dictionary(uniqueKeysWithValues: sent.map { ($0.id, $0.text) })
    for event in sent {
      // Not caused by the first call, which the task of this test has made.
      guard lanes[event.id] == "effects" else {
        XCTAssertNil(event.cause)
        continue
      }
      XCTAssertEqual(texts[try XCTUnwrap(event.cause)], event.text)
    }
    withExtendedLifetime(tokens) {}
  }
}

@MainActor
private final class Seen {
  var newest = Array(repeating: 0, count: 40)
  var isCancelled = Array(repeating: false, count: 40)
  var callsTooMany = 0
  var tokens: [CancellationToken] = []
}

/// Says when it is let go, which must be on the main actor.
private final class OnMain: Sendable {
  private let isLetGo: Gate

  init(_ isLetGo: Gate) { self.isLetGo = isLetGo }

  deinit {
    MainActor.preconditionIsolated()
    isLetGo.open()
  }
}
