import Dispatch
import TestSupport
import XCTest

@testable import AsyncChannels

/// C47, the beginning: called in the isolation of its body, `observe` calls it before it returns.
final class ObserveFirstCallTests: XCTestCase {
  @MainActor
  func test_C47d_onTheMainActorAStateIsThereBeforeObserveReturns() async throws {
    let state = CurrentValue("loading")
    let label = Label()
    let token = state.outlet.observe { label.show($0) }
    XCTAssertEqual(label.shown, ["loading"])
    state.value = "a"
    state.value = "b"
    XCTAssertEqual(label.shown, ["loading"])
    try await label.untilShown(3)
    XCTAssertEqual(label.shown, ["loading", "a", "b"])
    withExtendedLifetime(token) {}
  }

  @MainActor
  func test_C47d_derivedOutletsAndFunctionsWithAResultAreCalledFirstToo() async throws {
    let state = CurrentValue(1)
    let label = Label()
    let texts = Channel<String>(replaying: 1)
    let tokens = [
      state.outlet.map { "\($0)" }.observe { label.show($0) },
      state.outlet.outlet.filter { $0 > 1 }.map { "\($0)" }.observe { label.show($0) },
      Outlet.just("only").observe { label.show($0) },
      state.outlet.map { "\($0)" }.observe { @MainActor in texts.send($0) },
    ]
    XCTAssertEqual(label.shown, ["1", "only"])
    assertEqual(try await texts.outlet.take(1), ["1"])
    state.value = 2
    try await label.untilShown(4)
    XCTAssertEqual(label.shown, ["1", "only", "2", "2"])
    withExtendedLifetime(tokens) {}
  }

  @MainActor
  func test_C47d_whereNothingIsReplayedTheFirstCallComesWithTheFirstElement() async throws {
    let channel = Channel<String>()
    let label = Label()
    let token = channel.outlet.observe { label.show($0) }
    XCTAssertEqual(label.shown, [])
    channel.send("a")
    XCTAssertEqual(label.shown, [])
    try await label.untilShown(1)
    XCTAssertEqual(label.shown, ["a"])
    withExtendedLifetime(token) {}
  }

  @MainActor
  func test_C47d_ofSeveralReplayedTheOldestComesFirstAndTheOthersInLaterTurns() async throws {
    for policy in [BufferingPolicy.unbounded, .bufferingNewest(8), .bufferingOldest(8)] {
      let channel = Channel<String>(replaying: 3, buffering: policy)
      for text in ["a", "b", "c"] { channel.send(text) }
      let label = Label()
      let token = channel.outlet.observe { label.show($0) }
      XCTAssertEqual(label.shown, ["a"], "\(policy)")
      channel.send("d")
      try await label.untilShown(4)
      XCTAssertEqual(label.shown, ["a", "b", "c", "d"], "\(policy)")
      withExtendedLifetime(token) {}
    }
  }

  func test_C47d_inAnotherActorTheStateIsThereBeforeObserveReturnsToo() async throws {
    let state = CurrentValue(1)
    let stage = Stage()
    let calls = Record<Int>()
    let token = try await stage.perform { stage in
      let token = stage.observe(state.outlet.outlet, calls)
      XCTAssertEqual(calls.events, [1])
      return token
    }
    state.value = 2
    XCTAssertEqual(calls.events, [1])
    try await stage.drain(until: "both called") { calls.count == 2 }
    XCTAssertEqual(calls.events, [1, 2])
    withExtendedLifetime(token) {}
  }

  @MainActor
  func test_C47e_calledFromElsewhereTheFirstCallComesInATurnOfTheBodysIsolation() async throws {
    let state = CurrentValue("a")
    let label = Label()
    let tokens = Record<CancellationToken>()
    onAnotherThread {
      tokens.add(state.outlet.observe { @MainActor text in label.show(text) })
    }
    // The main actor is ours until the next `await`.
    XCTAssertEqual(label.shown, [])
    try await label.untilShown(1)
    XCTAssertEqual(label.shown, ["a"])
    withExtendedLifetime(tokens) {}
  }

  @MainActor
  func test_C47e_aBodyWithoutIsolationIsCalledElsewhere() async throws {
    let state = CurrentValue(1)
    let calls = Record<Int>()
    let gate = DispatchSemaphore(value: 0)
    let body: @Sendable (Int) -> Void = { number in
      gate.wait()
      calls.add(number)
    }
    // Called here, it would wait for ever.
    let token = state.outlet.observe(body)
    XCTAssertEqual(calls.events, [])
    gate.signal()
    try await until("called") { calls.count == 1 }
    withExtendedLifetime(token) {}
  }

  @MainActor
  func test_C47d_aBodyThatSuspendsInItsFirstCallLetsObserveReturn() async throws {
    let state = CurrentValue(0)
    let calls = Record<String>()
    let gate = Gate()
    let token = state.outlet.observe { @MainActor number in
      calls.add("begin \(number)")
      await gate.pass()
      calls.add("end \(number)")
    }
    XCTAssertEqual(calls.events, ["begin 0"])
    state.value = 1
    await Task.yield()
    XCTAssertEqual(calls.events, ["begin 0"])
    gate.open()
    try await until("both ended") { calls.count == 4 }
    XCTAssertEqual(calls.events, ["begin 0", "end 0", "begin 1", "end 1"])
    withExtendedLifetime(token) {}
  }

  /// It has no token before `observe` has returned, so what it sends must come after that.
  @MainActor
  func test_C47f_aBodyThatFeedsItselfCanBeStoppedByItsToken() async throws {
    for replayed in [1, 3] {
      let channel = Channel<Int>(replaying: replayed)
      channel.send(0)
      let calls = Record<Int>()
      let owner = Owner()
      owner.token = channel.outlet.observe { number in
        calls.add(number)
        if number < 100 { channel.send(number + 1) }
        if number == 10 { owner.token = nil }
      }
      XCTAssertEqual(calls.events, [0])
      try await until("unsubscribed") { channel.subscriberCount == 0 }
      XCTAssertEqual(calls.events, Array(0...10))
    }
  }

  @MainActor
  func test_C47f_aTokenThatIsDroppedImmediatelyEndsItAfterTheFirstCall() async throws {
    let state = CurrentValue(0)
    let calls = Record<Int>()
    _ = state.outlet.observe { @MainActor number in
      calls.add(number)
      if number < 100 { state.value = number + 1 }
    }
    XCTAssertEqual(calls.events, [0])
    try await until("unsubscribed") { state.log.subscriberCount == 0 }
    XCTAssertEqual(calls.events, [0])
  }

  @MainActor
  func test_C47d_theFirstCallMayObserveReplaceATokenAndDropTheOwner() async throws {
    let owner = Owner()
    let state = CurrentValue("outer")
    let inner = CurrentValue("inner")
    let label = Label()
    owner.state = state
    owner.token = state.outlet.observe { label.show("old \($0)") }
    let outlet = state.outlet
    let token = outlet.observe { text in
      label.show(text)
      owner.innerToken = inner.outlet.observe { label.show($0) }
      owner.token = nil
      owner.state = nil
    }
    XCTAssertEqual(label.shown, ["old outer", "outer", "inner"])
    state.value = "new"
    inner.value = "new inner"
    try await label.untilShown(5)
    // Told of "new" it observes anew, and what it observed before may have been told first.
    XCTAssertEqual(Set(label.shown.dropFirst(3)), ["new", "new inner"])
    withExtendedLifetime(token) {}
  }

  @MainActor
  func test_C47d_inACancelledTaskTheObserverIsCalledAllTheSame() async throws {
    let state = CurrentValue(0)
    let calls = Record<Int>()
    let task = Task { @MainActor in
      cancelThisTask()
      return state.outlet.observe { @MainActor in calls.add($0) }
    }
    let token = await task.value
    XCTAssertEqual(calls.events, [0])
    state.value = 1
    try await until("called") { calls.count == 2 }
    withExtendedLifetime(token) {}
  }
}

@MainActor
private final class Label {
  private(set) var shown: [String] = []
  private var isEnough = Gate()
  private var wanted = Int.max

  func show(_ text: String) {
    shown.append(text)
    if shown.count >= wanted { isEnough.open() }
  }

  func untilShown(_ count: Int) async throws {
    (wanted, isEnough) = (count, Gate())
    if shown.count >= wanted { isEnough.open() }
    try await within { [isEnough] in await isEnough.pass() }
  }
}

@MainActor
private final class Owner {
  var token: CancellationToken?
  var innerToken: CancellationToken?
  var state: CurrentValue<String>?
}
