import AsyncChannels
import AsyncChannelsTesting
import TestSupport
import XCTest

/// `answer(.firstOnly)`: what comes while one is worked on is ignored, and counted.
@MainActor
final class AnswerFirstOnlyTests: XCTestCase {
  private let inputs = Channel<Int>()
  private let answers = Channel<Int>()
  private let begun = Channel<Int>()
  private let ignored = CurrentValue<[Int]>([])

  func test_C75a_whatComesWhileOneIsWorkedOnIsIgnoredAndCounted() async throws {
    let (started, published) = (Probe(begun.outlet), Probe(answers.outlet))
    let gates = [Gate(), Gate()]
    let run = answering(inputs.outlet.subscribe()) { number in await gates[number / 10].pass() }
    for number in 0..<5 { inputs.send(number) }
    try await started.expect(0)
    for number in 5..<10 { inputs.send(number) }
    gates[0].open()
    try await published.expect(0)
    // C75d.
    XCTAssertEqual(ignored.value, Array(1..<10), "by the time of the answer")
    inputs.send(10)
    try await started.expect(10)
    inputs.send(11)
    gates[1].open()
    try await published.expect(10)
    XCTAssertEqual(ignored.value, Array(1..<10) + [11])
    try started.finish()
    try await run.cancelAndWait()
  }

  func test_C75c_whatIsSentWhenTheAnswerIsPublishedIsWorkedOn() async throws {
    for isDerived in [false, true] {
      let inputs = Channel<Int>()
      let outlet = isDerived ? inputs.outlet.map { $0 } : inputs.outlet
      let received = outlet.subscribe()
      ignored.value = []
      var published: [Int] = []
      inputs.send(0)
      await received.answer(.firstOnly, ignored: ignored.inlet { $0.append($1) }) { number in
        // Before the answer: ignored, however late the call can look at it.
        inputs.send(-1)
        return number
      } publish: { number in
        published.append(number)
        if number < 500 { inputs.send(number + 1) } else { inputs.finish() }
      }
      XCTAssertEqual(published, Array(0...500))
      XCTAssertEqual(ignored.value, [Int](repeating: -1, count: 501))
    }
  }

  func test_C75a_C75d_whatWasReplayedIsNoExceptionWhenTheNextWasSentInTime() async throws {
    for round in 0..<300 {
      ignored.value = []
      let state = CurrentValue(1)
      var published: [Int] = []
      await state.outlet.answer(.firstOnly, ignored: ignored.inlet { $0.append($1) }) { number in
        if number == 1 {
          for _ in 0..<(round % 5) { await Task.yield() }
          state.value = 2
        }
        return number
      } publish: { number in
        published.append(number)
        state.finish()
      }
      XCTAssertEqual(published, [1], "round \(round)")
      XCTAssertEqual(ignored.value, [2], "round \(round)")
    }
  }

  func test_C75b_workedOnAndIgnoredAreTogetherWhatWasSent() async throws {
    for round in 0..<200 {
      let inputs = Channel<Int>()
      let received = inputs.outlet.subscribe()
      let (worked, ignored) = (Record<Int>(), Record<Int>())
      // Detached: nothing keeps the two loops apart.
      let run = Task.detached {
        await received.answer(.firstOnly, ignored: Inlet { ignored.add($0) }) { number in
          worked.add(number)
          if number % 3 == round % 3 { await Task.yield() }
        } publish: { _ in
        }
      }
      for number in 0..<50 {
        inputs.send(number)
        if number % 4 == round % 4 { await Task.yield() }
      }
      inputs.finish()
      try await within { await run.value }
      XCTAssertEqual((worked.events + ignored.events).sorted(), Array(0..<50), "round \(round)")
      XCTAssertEqual(worked.events, worked.events.sorted(), "round \(round)")
      XCTAssertEqual(worked.events.first, 0, "round \(round)")
    }
  }

  func test_C75b_aCancelledCallLeavesWhatIsSentAfterwardsToTheNext() async throws {
    let received = inputs.outlet.subscribe()
    let (started, published) = (Probe(begun.outlet), Probe(answers.outlet))
    let gate = Gate()
    let first = answering(received) { number in if number == 1 { await gate.pass() } }
    inputs.send(1)
    try await started.expect(1)
    first.cancel()
    inputs.send(2)
    let second = answering(received) { _ in }
    try await started.expect(2)
    try await published.expect(2)
    gate.open()
    try await within { await first.value }
    try published.finish()
    try await second.cancelAndWait()
    XCTAssertEqual(ignored.value, [])
  }

  private func answering(
    _ received: Subscription<Int>, by work: @escaping @Sendable (Int) async -> Void
  ) -> Task<Void, Never> {
    Task { [begun, answers, ignored] in
      await received.answer(.firstOnly, ignored: ignored.inlet { $0.append($1) }) { number in
        begun.send(number)
        await work(number)
        return number
      } publish: { number in
        answers.send(number)
      }
    }
  }
}
