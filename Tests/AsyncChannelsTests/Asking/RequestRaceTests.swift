import AsyncChannels
import TestSupport
import XCTest

/// C83: what comes first decides, and nobody waits for ever.
final class RequestRaceTests: XCTestCase {
  private typealias Doubling = Request<Int, Int>

  func test_C83_ofRepliesThatRaceExactlyOneIsTheFirstAndTheAskerGetsIt() async throws {
    for round in 0..<400 {
      let input = Input<Doubling>()
      let inlet = input.inlet
      let asker = Task { await inlet.ask(round) }
      let asked = try await within { await input.received.next() }
      let request = try XCTUnwrap(asked)
      let wereFirst = try await concurrently(3) { number in
        await giveWay((round + number) % 4)
        return request.reply(number)
      }
      XCTAssertEqual(wereFirst.count { $0 }, 1, "round \(round)")
      assertEqual(try await asker.result(), wereFirst.firstIndex(of: true), "round \(round)")
    }
  }

  func test_C83_aReplyThatRacesWithTheCancellationIsReceivedOrNil() async throws {
    for round in 0..<400 {
      let input = Input<Doubling>()
      let inlet = input.inlet
      let asker = Task { await inlet.ask(round) }
      _ = try await concurrently(2) { number in
        await giveWay((round + number) % 5)
        if number == 0 {
          asker.cancel()
        } else {
          // Nothing comes if the asker was cancelled before it had asked.
          input.finish()
          for await request in input.received { request.reply(request.question) }
        }
      }
      let reply = try await asker.result()
      XCTAssertTrue(reply == nil || reply == round, "round \(round): \(String(describing: reply))")
    }
  }

  /// Who asks while the owner finishes is answered, or gets nil; the owner answers all it receives.
  func test_C83_whoAsksWhileTheChannelFinishesGetsTheReplyOrNil() async throws {
    for round in 0..<200 {
      let input = Input<Doubling>()
      let inlet = input.inlet
      let answered = Record<Int>()
      let owner = Task {
        for await request in input.received {
          answered.add(request.question)
          request.reply(2 * request.question)
        }
      }
      let replies = try await concurrently(9) { number in
        await giveWay((round * number) % 7)
        guard number < 8 else {
          input.finish()
          return Int?.none
        }
        return await inlet.ask(number)
      }
      try await owner.result()
      for number in 0..<8 {
        let reply = answered.events.contains(number) ? 2 * number : nil
        XCTAssertEqual(replies[number], reply, "round \(round)")
      }
    }
  }

  func test_C83_aRequestThatIsDroppedByTwoWhileOneRepliesIsAnswered() async throws {
    for round in 0..<400 {
      let channel = Channel<Doubling>()
      let subscriptions = (0..<3).map { _ in channel.outlet.subscribe() }
      let inlet = channel.inlet
      let asker = Task { await inlet.ask(round) }
      _ = try await concurrently(3) { number in
        let request = await subscriptions[number].next()
        await giveWay((round + number) % 4)
        if number == 1 { request?.reply(-round) }
      }
      assertEqual(try await asker.result(), -round, "round \(round)")
    }
  }

  func test_C83_anOwnerThatIsCancelledAndGoneEndsAllAskers() async throws {
    for round in 0..<200 {
      let inlet: Inlet<Doubling>
      let owner: Task<Void, Never>
      do {
        let input = Input<Doubling>()
        inlet = input.inlet
        owner = Task { for await request in input.received { request.reply(request.question) } }
      }
      let askers = (0..<8).map { number in Task { await inlet.ask(number) } }
      await giveWay(round % 9)
      owner.cancel()
      for (number, asker) in askers.enumerated() {
        let reply = try await asker.result()
        XCTAssertTrue(reply == nil || reply == number, "round \(round)")
      }
    }
  }
}
