import AsyncChannelsTesting
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRunning

/// C98: what a call has taken is worked on, and what it has not taken is there for the next consumer.
@MainActor
final class AnswerTakingTests: XCTestCase {
  /// One element is sent, the call is cancelled some turns later, and the next one begins immediately.
  func test_C98a_C98c_anInputIsWorkedOnOnceByTheCancelledCallOrByTheNext() async throws {
    try await withTestTime(orders: .random(Length.isFull ? 100 : 4, seed: 98)) { _ in
      for overlap in Overlap.allCases + [nil] {
        for isReported in [false, true] {
          for turns in 0..<8 {
            let begun = await Self.begin(overlap, isReported: isReported, turns)
            guard [["early"], ["cancelled"], ["second"]].contains(begun) else {
              throw Unexpected(
                "\(begun): \(overlap as Any), reported: \(isReported), turns: \(turns)")
            }
          }
        }
      }
    }
  }

  func test_C98a_C98c_anInputIsWorkedOnOnceOnSeveralThreads() async throws {
    for overlap in Overlap.allCases + [nil] {
      for isReported in [false, true] {
        for round in 0..<Length.rounds(400) {
          let begun = await Self.begin(overlap, isReported: isReported, round % 5)
          XCTAssertEqual(begun.count, 1, "\(begun): \(overlap as Any), reported: \(isReported)")
        }
      }
    }
  }

  /// When work began: in the first call, before `cancel()` had returned or after that in a cancelled task, or in the
  /// second.
  private static func begin(
    _ overlap: Overlap?, isReported: Bool, _ turns: Int
  ) async -> [String] {
    let input = Input<Int>()
    let isCancelled = Atomic(false)
    let begun = Record<String>()
    let busy = isReported ? CurrentValue(false).inlet : nil
    let first = Task {
      await answer(input.received, overlap, busy) { _ in
        let isLate = isCancelled.load(ordering: .acquiring)
        begun.add(!isLate ? "early" : Task.isCancelled ? "cancelled" : "late")
      }
    }
    await giveWay(3)
    input.inlet.send(1)
    await giveWay(turns)
    first.cancel()
    isCancelled.store(true, ordering: .releasing)
    input.finish()
    await answer(input.received, overlap, busy) { _ in begun.add("second") }
    await first.value
    return begun.events
  }

  private static func answer(
    _ received: Subscription<Int>, _ overlap: Overlap?, _ busy: Inlet<Bool>? = nil,
    by work: @escaping @Sendable (Int) async -> Void
  ) async {
    if let overlap {
      await received.answer(OverlapRule(overlap), busy: busy, by: work, publish: { _, _ in })
    } else {
      await received.answer(.each({ _ in .latestOnly }), busy: busy, by: work) { _, _ in }
    }
  }

  func test_C98a_C98b_whatWasNotTakenStaysForWhoeverConsumesNext() async throws {
    for (name, subscribe) in Self.sources {
      for way in Way.allCases {
        let (inputs, begun) = (Channel<Int>(), Record<Int>())
        let received = subscribe(inputs.outlet)
        for number in 1...4 { inputs.send(number) }
        let run = Task {
          await received.answer(by: Self.untilCancelled(begun), publish: { _, _ in })
        }
        try await until("it works") { begun.count == 1 }
        run.cancel()
        XCTAssertEqual(received.pendingCount, 3, name)
        inputs.send(5)
        inputs.finish()
        let got = await way.take(received)
        XCTAssertEqual(got, [2, 3, 4, 5], "\(name), \(way)")
        await run.value
        XCTAssertEqual(begun.events, [1], "\(name), \(way)")
      }
    }
  }

  /// Its overlap is known by looking at it, so it is taken while it waits for the work before it.
  func test_C98c_C122c_anElementThatWaitsForOthersWhenTheCallIsCancelledIsWorkedOn() async throws {
    try await withTestTime { time in
      let (inputs, begun) = (Channel<Int>(), Record<String>())
      let received = inputs.outlet.subscribe()
      let run = Task {
        await received.answer(.each({ $0 == 1 ? .concurrent : .oneAtATime })) { number in
          begun.add("\(number)\(Task.isCancelled ? " cancelled" : "")")
          await Self.untilCancelled(begun)(number * 10)
        } publish: { _, _ in
          begun.add("published")
        }
      }
      for number in 1...3 { inputs.send(number) }
      await time.idle()
      XCTAssertEqual(begun.events, ["1", "10"])
      XCTAssertEqual(received.pendingCount, 1)
      run.cancel()
      await run.value
      XCTAssertEqual(begun.events, ["1", "10", "2 cancelled", "20"])
      XCTAssertEqual(received.pendingCount, 1)
    }
  }

  /// An element that is no refresh is taken behind a row of them, and is next.
  func test_C98c_C122a_anElementBehindARowOfRefreshesIsWorkedOnWhenTheCallIsCancelled() async throws
  {
    try await withTestTime(orders: .random(50, seed: 122)) { time in
      for turns in 0..<12 {
        let (inputs, begun) = (Channel<Int>(), Record<Int>())
        let received = inputs.outlet.subscribe()
        let run = Task {
          await received.answer(.each({ $0 < 3 ? .latestOnly : .concurrent })) { number in
            begun.add(number)
          } publish: { _, _ in
          }
        }
        for number in 1...4 { inputs.send(number) }
        await giveWay(turns)
        run.cancel()
        let left = received.pendingCount
        await run.value
        guard received.pendingCount == left,
          begun.events.filter({ $0 > 2 }).count == max(0, 2 - left),
          left < 3 ? begun.events.contains(2) || left == 2 : begun.count <= 1
        else { throw Unexpected("\(left) left, and \(begun.events) after \(turns) turns") }
      }
    }
  }

  func test_C98b_ofARowThatIsSupersededNothingIsLeft() async throws {
    try await withTestTime { _ in
      for overlap in [Overlap.latestOnly, nil] {
        let (inputs, begun) = (Channel<Int>(), Record<Int>())
        let received = inputs.outlet.subscribe()
        for number in 1...3 { inputs.send(number) }
        let run = Task { await Self.answer(received, overlap, by: Self.untilCancelled(begun)) }
        await giveWay(20)
        run.cancel()
        XCTAssertEqual(received.pendingCount, 0)
        await run.value
        XCTAssertEqual(begun.events, [3])
      }
    }
  }

  /// No lock is held while a closure runs, not even one that `cancel()` takes.
  func test_C98d_anElementWhoseClosureCancelsTheCallIsWorkedOnByThatCall() async throws {
    for overlap in Overlap.allCases + [nil] {
      let (inputs, begun) = (Channel<Int>(), Record<String>())
      let received = inputs.outlet.map { number in
        if number == 1 { cancelThisTask() }
        return number
      }.subscribe()
      for number in 1...2 { inputs.send(number) }
      inputs.finish()
      await Task {
        await Self.answer(received, overlap) {
          begun.add("\($0)\(Task.isCancelled ? " cancelled" : "")")
        }
      }.value
      XCTAssertEqual(begun.take(), ["1 cancelled"], "\(overlap as Any)")
      await Self.answer(received, overlap) { begun.add("\($0)") }
      XCTAssertEqual(begun.take(), ["2"], "\(overlap as Any)")
    }
  }

  /// What another sequence has given cannot be left there.
  func test_C98c_whatWasReadFromAnotherSequenceIsWorkedOnByACancelledCall() async throws {
    for overlap in Overlap.allCases + [nil] {
      let begun = Record<String>()
      let work: @Sendable (Int) async -> Void = {
        begun.add("\($0)\(Task.isCancelled ? " cancelled" : "")")
      }
      let numbers = CancellingSequence()
      await Task {
        if let overlap {
          await numbers.answer(
            OverlapRule(overlap), by: work, publish: { _, _ in begun.add("published") })
        } else {
          await numbers.answer(.each({ _ in .oneAtATime }), by: work) { _, _ in }
        }
      }.value
      XCTAssertEqual(begun.events, ["1 cancelled"], "\(overlap as Any)")
    }
  }

  private static func untilCancelled(_ begun: Record<Int>) -> @Sendable (Int) async -> Void {
    { number in
      begun.add(number)
      for await _ in Outlet<Void>.never {}
    }
  }

  private static func untilCancelled(_ begun: Record<String>) -> @Sendable (Int) async -> Void {
    { number in
      begun.add("\(number)")
      for await _ in Outlet<Void>.never {}
    }
  }

  private static let sources: [(String, (Outlet<Int>) -> Subscription<Int>)] = [
    ("plain", { $0.subscribe() }), ("bounded", { $0.subscribe(buffering: .bufferingNewest(9)) }),
    ("derived", { $0.map { $0 }.filter { $0 > 0 }.subscribe() }),
  ]

  private enum Way: CaseIterable {
    case loop, next, batches, answer

    func take(_ received: Subscription<Int>) async -> [Int] {
      var got: [Int] = []
      switch self {
      case .loop: for await number in received { got.append(number) }
      case .next: while let number = await received.next() { got.append(number) }
      case .batches: for await numbers in received.batches(ofAtMost: 2) { got += numbers }
      case .answer:
        let record = Record<Int>()
        await received.answer(by: { $0 }, publish: { record.add($1) })
        got = record.events
      }
      return got
    }
  }
}

/// Its first element comes when the task that asks has just been cancelled.
private struct CancellingSequence: AsyncSequence, Sendable {
  struct AsyncIterator: AsyncIteratorProtocol {
    private var number = 0

    mutating func next() async -> Int? { await next(isolation: nil) }

    mutating func next(isolation: isolated (any Actor)?) async -> Int? {
      cancelThisTask()
      number += 1
      return number
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}

private struct Unexpected: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
