import AsyncChannels
import AsyncChannelsTesting
import TestSupport
import XCTest

/// C119.
@MainActor
final class SplitBindingObserveTests: XCTestCase {
  private let owner = Owner()
  private let shown = Record<String>()

  private func observe() -> CancellationToken {
    owner.text.observe { [shown] in shown.add($0) }
  }

  func test_C119a_theFirstCallComesBeforeObserveReturns() async throws {
    try await withTestTime { [owner, shown] time in
      owner.output.value = "before"
      let token = observe()
      XCTAssertEqual(shown.take(), ["before"])
      await time.idle()
      XCTAssertEqual(shown.take(), [])
      withExtendedLifetime(token) {}
    }
  }

  /// While two threads change the choice and what is chosen.
  func test_C119a_theLastChangeIsHeardThoughItsSourceChoosesAnew() async throws {
    let rows = (0..<3).map { CurrentValue("\($0)") }
    let chosen = CurrentValue(0)
    let text = SplitBinding(
      reading: chosen.outlet.flatMap { rows[$0].outlet }, writing: Channel<String>().inlet)
    let token = text.observe { [shown] in shown.add($0) }
    for round in 0..<Length.rounds(1_000) {
      async let choosing: Void = Task.detached { for row in [1, 2, 0, 1] { chosen.value = row } }
        .value
      async let writing: Void = Task.detached {
        for row in rows { row.value = "\(row.value) \(round)" }
      }.value
      _ = await (choosing, writing)
      rows[1].value = "\(round)"
      try await until("the last is shown") { [shown] in shown.events.last == "\(round)" }
      _ = shown.take()
    }
    withExtendedLifetime(token) {}
  }

  func test_C119a_C119b_aCallGetsTheValueOfItsMomentAndChangesOfOneTurnAreOneCall() async throws {
    try await withTestTime { [owner, shown] time in
      let token = observe()
      _ = shown.take()
      for text in ["n", "ne", "new"] { owner.text.value = text }
      await time.idle()
      XCTAssertEqual(shown.take(), ["new"])
      // A late answer to an earlier write.
      owner.received.takeOne()
      owner.output.value = "N"
      await time.idle()
      XCTAssertEqual(Set(shown.take()).subtracting(["new"]), [])
      owner.decide("NEW")
      owner.text.value = "newer"
      await time.idle()
      XCTAssertEqual(shown.take(), ["newer"])
      withExtendedLifetime(token) {}
    }
  }

  /// The field shows what was typed, and the owner publishes what it had published before.
  func test_C119b_aRefusalIsToldThoughTheValueIsTheOneOfTheCallBefore() async throws {
    try await withTestTime { [owner, shown] time in
      owner.output.value = "a"
      let token = observe()
      _ = shown.take()
      for text in ["a1", "a2"] {
        owner.text.value = text
        owner.decide("a")
        await time.idle()
        XCTAssertEqual(shown.take(), ["a"])
      }
      withExtendedLifetime(token) {}
    }
  }

  /// What the body itself changes is told to it, too, in a later turn; and so is what another thread changes
  /// while it runs.
  func test_C119a_aChangeDuringACallIsToldInALaterTurn() async throws {
    try await withTestTime { [owner, shown] time in
      let token = owner.text.observe { [shown] in
        shown.add($0)
        if $0 == "one" { owner.decide("two") }
      }
      _ = shown.take()
      owner.output.value = "one"
      await time.idle()
      XCTAssertEqual(shown.take(), ["one", "two"])
      withExtendedLifetime(token) {}
    }
  }

  func test_C119a_howeverFastAnotherThreadPublishesTheLastIsShown() async throws {
    let token = observe()
    for round in 1...200 {
      let writer = Task.detached { [owner] in
        for number in 1...20 { owner.output.value = "\(round).\(number)" }
      }
      await writer.value
      try await until("the last of round \(round) is shown") { [shown] in
        shown.events.last == "\(round).20"
      }
    }
    withExtendedLifetime(token) {}
  }

  func test_C119c_nothingIsCalledOnceTheTokenHasEnded() async throws {
    try await withTestTime { [owner, shown] time in
      for isDropped in [false, true] {
        var token: CancellationToken? = observe()
        _ = shown.take()
        owner.text.value += "x"
        if isDropped { token = nil } else { token?.cancel() }
        await time.idle()
        owner.decide("y")
        await time.idle()
        XCTAssertEqual(shown.take(), [])
      }
    }
  }

  func test_C117b_aTurnEndsAfter64CallsAndTheNextOneServesTheRest() async throws {
    let tokens = (0..<200).map { _ in observe() }
    _ = shown.take()
    owner.output.value = "new"
    let count = await Task { [shown] in shown.count }.value
    XCTAssertLessThanOrEqual(count, 64)
    try await until("all are called") { [shown] in shown.count == 200 }
    withExtendedLifetime(tokens) {}
  }

  /// Its body may have caught what belongs to the main actor.
  func test_C117d_theBodyIsLetGoOnTheMainActorWhereverTheTokenIsDropped() async throws {
    let (input, text, census) = (Channel<String>(), CurrentValue("a"), Census())
    let binding = SplitBinding(reading: text.outlet, writing: input.inlet)
    let token = HandOver(
      binding.observe { [witness = Tracked(0, in: census)] _ in _ = witness })
    XCTAssertEqual(census.count, 1)
    onAnotherThread { _ = token.take() }
    XCTAssertEqual(census.count, 1)
    try await until("let go") { census.count == 0 }
  }

  func test_C119a_theObserverKeepsNeitherTheBindingNorItsOwnerAlive() async throws {
    try await withTestTime { [shown] time in
      var owner: Owner? = Owner()
      weak let (text, output) = (owner?.text, owner?.output)
      let token = owner?.text.observe { [shown] in shown.add($0) }
      await time.idle()
      owner = nil
      await time.idle()
      XCTAssertNil(text)
      XCTAssertNil(output)
      withExtendedLifetime(token) {}
    }
  }
}

private final class Owner: Sendable {
  let received: Subscription<String>
  let output = CurrentValue("")
  let text: SplitBinding<String>
  private let input = Channel<String>()

  init() {
    received = input.outlet.subscribe()
    text = SplitBinding(reading: output.outlet, writing: input.inlet)
  }

  /// Takes all that was written, and publishes.
  func decide(_ text: String) {
    while received.takeOne() != nil {}
    output.value = text
  }
}

extension Subscription {
  @discardableResult
  fileprivate func takeOne() -> Element? { takeNow().element }
}
