import AsyncChannelsTesting
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// C98: an element whose work was not begun when the call was cancelled is there for the next consumer.
@MainActor
final class AnswerGivesBackTests: XCTestCase {
  /// One element is sent, the call is cancelled some turns later, and the next one begins immediately. In test
  /// time there is one thread, so nothing lies between the decision that work begins and its first statement.
  func test_C98_anInputIsBegunBeforeCancelReturnsOrByTheNextCall() async throws {
    try await withTestTime(orders: .random(25, seed: 98)) { _ in
      for overlap in Overlap.allCases {
        for isReported in [false, true] {
          for turns in 0..<8 {
            let begun = await Self.begin(overlap, isReported: isReported, turns)
            guard begun == ["early"] || begun == ["second"] else {
              throw Unexpected("\(begun): \(overlap), reported: \(isReported), turns: \(turns)")
            }
          }
        }
      }
    }
  }

  /// The same on several threads, where one may be stopped after that decision and before the statement.
  func test_C98_anInputIsBegunOnceOnSeveralThreads() async throws {
    for overlap in Overlap.allCases {
      for isReported in [false, true] {
        for round in 0..<400 {
          let begun = await Self.begin(overlap, isReported: isReported, round % 5)
          XCTAssertEqual(begun.count, 1, "\(begun): \(overlap), reported: \(isReported)")
        }
      }
    }
  }

  /// When work began: in the first call, before and after `cancel()` had returned, and in the second.
  private static func begin(_ overlap: Overlap, isReported: Bool, _ turns: Int) async -> [String] {
    let input = Input<Int>()
    let isCancelled = Atomic(false)
    let begun = Record<String>()
    let busy = isReported ? CurrentValue(false).inlet : nil
    let first = Task {
      await input.received.answer(overlap, busy: busy) { _ in
        begun.add(isCancelled.load(ordering: .acquiring) ? "late" : "early")
      } publish: { _ in
      }
    }
    await giveWay(3)
    input.inlet.send(1)
    await giveWay(turns)
    first.cancel()
    isCancelled.store(true, ordering: .releasing)
    input.finish()
    await input.received.answer(overlap, busy: busy) { _ in
      begun.add("second")
    } publish: { _ in
    }
    await first.value
    return begun.events
  }

  func test_C98_whatIsGivenBackComesFirstWhoeverConsumesNext() async throws {
    for (name, makeInput) in Self.sources {
      for way in Way.allCases {
        let inputs = Channel<Int>()
        let received = makeInput(inputs.outlet)
        for number in 1...4 { inputs.send(number) }
        let consumer = Consumer(received.makeAsyncIterator())
        _ = await consumer.waitForElement(isolation: MainActor.shared)
        let taken = (0..<2).compactMap { _ in
          if case .turn(let turn) = consumer.take() { turn } else { nil }
        }
        XCTAssertEqual(taken.count, 2, name)
        consumer.place.giveBack(taken.map(\.returned))
        XCTAssertEqual(received.pendingCount, 4, name)
        inputs.send(5)
        inputs.finish()
        let got = await way.take(received)
        XCTAssertEqual(got, [1, 2, 3, 4, 5], "\(name), \(way)")
        XCTAssertEqual(received.pendingCount, 0, name)
      }
    }
  }

  func test_C98_aConsumerThatSleepsIsWokenByWhatIsGivenBack() async throws {
    for (name, makeInput) in Self.sources {
      let inputs = Channel<Int>()
      let received = makeInput(inputs.outlet)
      inputs.send(1)
      let consumer = Consumer(received.makeAsyncIterator())
      _ = await consumer.waitForElement(isolation: MainActor.shared)
      guard case .turn(let turn) = consumer.take() else { return XCTFail(name) }
      let next = Task { await received.next() }
      try await until("it sleeps") { inputs.log.sleeperCount == 1 }
      consumer.place.giveBack([turn.returned])
      let got = try await next.result()
      XCTAssertEqual(got, 1, name)
      let after = Task { await received.next() }
      inputs.send(2)
      let second = try await after.result()
      XCTAssertEqual(second, 2, name)
    }
  }

  func test_C98_whatIsGivenBackIsReleasedWithTheSubscription() async throws {
    let census = Census()
    let inputs = Channel<Tracked>()
    var received = Optional(inputs.outlet.subscribe())
    inputs.send(Tracked(1, in: census))
    var consumer = received.map { Consumer($0.makeAsyncIterator()) }
    _ = await consumer?.waitForElement(isolation: MainActor.shared)
    if case .turn(let turn) = consumer?.take() { consumer?.place.giveBack([turn.returned]) }
    XCTAssertEqual(census.count, 1)
    (consumer, received) = (nil, nil)
    XCTAssertEqual(census.count, 0)
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
        await received.answer(by: { $0 }, publish: { record.add($0) })
        got = record.events
      }
      return got
    }
  }
}

private struct Unexpected: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
