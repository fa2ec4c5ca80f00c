import Foundation
import Observation
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// Readers that come late with what they have read, and states that come where others were.
final class LateReadersTests: XCTestCase {
  private let entered = DispatchSemaphore(value: 0)
  private let mayGoOn = DispatchSemaphore(value: 0)
  private let slowThread = DispatchGroup()

  /// Does something on another thread, which stops in `stop`.
  private func onSlowThread(_ body: @escaping @Sendable () -> Void) {
    slowThread.enter()
    Thread.detachNewThread { [slowThread] in
      Thread.current.threadDictionary["isSlow"] = true
      body()
      slowThread.leave()
    }
    XCTAssertEqual(entered.wait(timeout: .now() + 60), .success)
  }

  /// In a closure of derived state: stops the slow thread, and no other.
  private var stop: @Sendable () -> Void {
    { [entered, mayGoOn] in
      if Thread.current.threadDictionary["isSlow"] == nil { return }
      entered.signal()
      mayGoOn.wait()
    }
  }

  /// However often it still stops.
  private func endSlowThread() {
    for _ in 0..<20 { mayGoOn.signal() }
    XCTAssertEqual(slowThread.wait(timeout: .now() + 60), .success)
  }

  /// One has chosen by an old value, and ends when another has read the new one.
  func test_C140b_aReaderOfAnOldChoiceChangesNothing() {
    let (choice, rows) = (CurrentValue(0), (0..<2).map { CurrentValue($0) })
    let chosen = choice.outlet.flatMap { [stop] row in
      stop()
      return rows[row].outlet
    }
    let isWaiting = Atomic(false)
    let text = chosen.map { [slowThread, mayGoOn] number in
      if isWaiting.exchange(false, ordering: .relaxed) {
        mayGoOn.signal()
        // It ends. If it left what it has made of the old choice, it would make another, and stop again.
        XCTAssertEqual(slowThread.wait(timeout: .now() + 60), .success)
      }
      return "\(number)"
    }
    let follower = text.subscribe()
    XCTAssertEqual(follower.takeNow().element, "0")
    choice.value = 0
    onSlowThread { XCTAssertEqual(chosen.value, 1) }
    choice.value = 1
    isWaiting.store(true, ordering: .relaxed)
    XCTAssertEqual(follower.takeNow().element, "1")
    rows[1].value = 10
    XCTAssertEqual(follower.takeNow().element, "10")
    endSlowThread()
  }

  /// Two make a value of the same states, or one of older ones. Otherwise it would have two versions.
  func test_C140a_aValueThatTwoReadersMakeIsGivenOnce() { makeByTwoReaders(then: []) }
  func test_C140a_aValueOfOlderStatesIsNotGivenAgain() { makeByTwoReaders(then: [20]) }
  func test_C140a_aValueOfMuchOlderStatesIsNotGivenAgain() { makeByTwoReaders(then: [20, 30]) }

  private func makeByTwoReaders(then later: [Int]) {
    let (states, runs) = ((CurrentValue(0), CurrentValue(0)), Record<Int>())
    let tens = StateOutlet(tracking: { [stop] in
      let number = states.0.value
      stop()
      return number / 10
    })
    let text = StateOutlet.combine(tens, states.1.outlet.removeDuplicates()).map {
      runs.add($0)
      return "\($0) \($1)"
    }
    let follower = text.subscribe()
    XCTAssertEqual(follower.takeNow().element, "0 0")
    states.0.value = 10
    onSlowThread { XCTAssertEqual(tens.value, states.0.value / 10) }
    for number in later { states.0.value = number }
    XCTAssertEqual(follower.takeNow().element, "\(states.0.value / 10) 0")
    endSlowThread()
    _ = runs.take()
    states.1.value = 0
    XCTAssertNil(follower.takeNow().element)
    XCTAssertEqual(runs.take(), [])
  }

  /// A late reader leaves a value of a node that its closure has made itself. So nobody can tell that it is older, and its
  /// version is higher.
  func test_C140a_aLateValueOfANewNodeIsNotGiven() {
    let (choice, row) = (CurrentValue(0), CurrentValue(0))
    let isWaiting = Atomic(false)
    let chosen = choice.outlet.flatMap { [stop] _ in
      row.outlet.map {
        stop()
        return $0
      }
    }
    let text = chosen.map { [entered, mayGoOn] number in
      if isWaiting.exchange(false, ordering: .relaxed) {
        mayGoOn.signal()
        // It has left both values, and makes them anew.
        XCTAssertEqual(entered.wait(timeout: .now() + 60), .success)
      }
      return "\(number)"
    }
    XCTAssertEqual(text.value, "0")
    row.value = 1
    onSlowThread { XCTAssertEqual(text.value, "2") }  // It stops in the node there was.
    mayGoOn.signal()
    XCTAssertEqual(entered.wait(timeout: .now() + 60), .success)  // It stops in its own.
    row.value = 2
    isWaiting.store(true, ordering: .relaxed)
    XCTAssertEqual([text.value, text.value], ["2", "2"])
    endSlowThread()
    XCTAssertEqual(text.value, "2")
  }

  /// Who publishes has found an old choice, and goes on before the owner decides in the new one.
  func test_C116_aLatePublisherMissesNoDecision() {
    let form = Form(stop)
    form.field.value = 100
    onSlowThread { form.rows[0].value = 1 }  // No decision: nobody has taken the draft.
    form.choice.value = 1
    XCTAssertEqual(form.field.value, 100)
    endSlowThread()
    XCTAssertEqual(form.received.takeNow().element, 100)
    form.rows[1].value = 200
    XCTAssertEqual([form.answer.value, form.field.value], [200, 200])
  }

  /// Who publishes a choice has not read yet what is chosen. There the owner decides.
  func test_C116_aDecisionInWhatIsChosenJustNowIsRead() {
    let form = Form(stop)
    form.field.value = 100
    onSlowThread { form.choice.value = 1 }  // No decision: nobody has taken the draft.
    XCTAssertEqual(form.received.takeNow().element, 100)
    form.rows[1].value = 200
    endSlowThread()
    XCTAssertEqual(form.field.value, 200)
  }

  /// One tells what it has taken, while another leaves the states of an old choice.
  func test_C140b_threadsShareASubscriptionWhoseStatesChange() {
    let (choice, rows) = (CurrentValue(0), (0..<64).map { CurrentValue($0) })
    let chosen = choice.outlet.flatMap { count in StateOutlet.combine(rows[0...count].map(\.outlet))
    }
    let follower = chosen.subscribe()
    DispatchQueue.concurrentPerform(iterations: 3) { thread in
      for number in 0..<500 {
        if thread == 0 { choice.value = number % 64 }
        _ = follower.takeNow()
      }
    }
    choice.value = 2
    XCTAssertEqual(follower.takeNow().element, [0, 1, 2])
    rows[2].value = 5
    XCTAssertEqual(follower.takeNow().element, [0, 1, 5])
  }

  /// A state that is new may lie where one was that is gone.
  func test_C140b_rowsThatComeWhereOthersWereAreFollowed() {
    for _ in 0..<200 {
      var choice: CurrentValue? = CurrentValue(CurrentValue(1).outlet)
      let (chosen, other) = (choice!.outlet.flatMap { $0 }, CurrentValue(2))
      let follower = chosen.subscribe()
      XCTAssertEqual(follower.takeNow().element, 1)
      choice?.value = other.outlet
      XCTAssertEqual(chosen.value, 2)
      let next = CurrentValue(5)
      choice?.value = next.outlet
      choice = nil
      XCTAssertEqual(follower.takeNow().element, 5)
      XCTAssertEqual(follower.takeNow().result, .nothing)
      next.value = 6
      XCTAssertEqual(follower.takeNow().element, 6)
    }
  }

  /// What a `deinit` reads while an array is made is no part of it.
  func test_C140h_aDeinitThatReadsStateShiftsNoParts() {
    let (one, two, more) = (CurrentValue(0), CurrentValue(0), CurrentValue(0))
    let last = numbers(of: two) { _ = more.value }
    let others = (0..<8).map { CurrentValue($0).outlet }
    // One that stands there twice, and one that does not belong there, must not cancel.
    let array = StateOutlet.combine([one.outlet, one.outlet] + others + [last])
    for (first, second) in [(0, 0), (1, 1), (2, 1), (3, 1), (3, 7)] {
      (one.value, two.value) = (first, second)
      XCTAssertEqual(array.value, [first, first] + Array(0..<8) + [second])
    }
  }

  func test_C25_whatADeinitReadsIsNotKeptAlive() {
    weak var kept: ObservedValue?
    do {
      let (state, more) = (CurrentValue(0), CurrentValue(0))
      kept = more.observed
      let number = numbers(of: state) { _ = more.value }
      for next in 1...3 {
        state.value = next
        XCTAssertEqual(number.value, next)
      }
    }
    XCTAssertNil(kept)
  }

  /// Each is made of an object, which does something when it is dropped.
  private func numbers(
    of state: CurrentValue<Int>, _ drop: @escaping @Sendable () -> Void
  ) -> StateOutlet<Int> {
    let things = state.outlet.flatMap { StateOutlet.constant(Thing($0, drop)) }
    return StateOutlet(tracking: { things.value.number })
  }

  /// Also when another state is chosen, and followed from then on.
  @MainActor
  func test_C119a_aChoiceIsToldOnce() async {
    let (choice, rows) = (CurrentValue(0), (0..<2).map { CurrentValue($0) })
    let source = choice.outlet.flatMap { rows[$0].outlet }
    let binding = SplitBinding(reading: source, writing: Channel<Int>().inlet)
    let calls = Record<Int>()
    let token = binding.observe { calls.add($0) }
    for chosen in [1, 0, 1] {
      for _ in 0..<5 { await Task { @MainActor in }.value }
      _ = calls.take()
      choice.value = chosen
      for _ in 0..<5 { await Task { @MainActor in }.value }
      XCTAssertEqual(calls.take(), [chosen])
    }
    token.cancel()
  }

  /// Nobody is told, and nothing called, because readings come upon its states in another order.
  @MainActor
  func test_C119a_aChangeOfAnArrayIsToldOnce() async {
    let states = (0..<10).map { CurrentValue($0) }
    let doubled = states[1].outlet.map { $0 * 2 }
    let source = StateOutlet.combine(
      states.enumerated().map { $0 == 1 ? doubled : $1.outlet }
    ).map { $0.reduce(0, +) }
    let binding = SplitBinding(reading: source, writing: Channel<Int>().inlet)
    let calls = Record<Int>()
    let token = binding.observe { calls.add($0) }
    for round in 1...5 {
      for _ in 0..<4 { XCTAssertEqual(binding.value, source.value) }
      for _ in 0..<5 { await Task { @MainActor in }.value }
      _ = calls.take()
      states[0].value = round * 100
      for _ in 0..<5 { await Task { @MainActor in }.value }
      XCTAssertEqual(calls.take(), [source.value])
    }
    token.cancel()
  }
}

/// A field whose owner answers in one of two states.
private struct Form: Sendable {
  let choice = CurrentValue(0)
  let rows = (0..<2).map { CurrentValue($0) }
  let answer: StateOutlet<Int>
  let input = Channel<Int>()
  let received: Subscription<Int>
  let field: SplitBinding<Int>

  /// - Parameter stop: Called when the answer is read.
  init(_ stop: @escaping @Sendable () -> Void) {
    answer = choice.outlet.flatMap { [rows] row in
      stop()
      return rows[row].outlet
    }
    received = input.outlet.subscribe()
    field = SplitBinding(reading: answer, writing: input.inlet)
  }
}

private final class Thing: Sendable {
  let number: Int
  private let drop: @Sendable () -> Void

  init(_ number: Int, _ drop: @escaping @Sendable () -> Void) {
    (self.number, self.drop) = (number, drop)
  }

  deinit { drop() }
}
