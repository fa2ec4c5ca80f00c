import AsyncChannels
import TestSupport
import XCTest

final class RequestTests: XCTestCase {
  private typealias Doubling = Request<Int, Int>

  func test_C80_askingGivesTheReply() async throws {
    let input = Input<Doubling>()
    let owner = Task { for await request in input.received { request.reply(2 * request.question) } }
    for number in 0..<100 {
      let reply = await input.inlet.ask(number)
      XCTAssertEqual(reply, 2 * number)
    }
    owner.cancel()
  }

  func test_C80_onlyTheFirstReplyCounts() async throws {
    let input = Input<Doubling>()
    let inlet = input.inlet
    let asker = Task { await inlet.ask(1) }
    let request = try await within { await input.received.next() }
    XCTAssertEqual(request?.reply(2), true)
    XCTAssertEqual(request?.reply(3), false)
    assertEqual(try await asker.result(), 2)
    XCTAssertEqual(request?.reply(4), false)
  }

  func test_C80_ofSeveralSubscribersTheFirstThatRepliesAnswers() async throws {
    let channel = Channel<Doubling>()
    let subscriptions = (0..<3).map { _ in channel.outlet.subscribe() }
    let inlet = channel.inlet
    let asker = Task { await inlet.ask(1) }
    let requests = try await within {
      var requests: [Doubling?] = []
      for subscription in subscriptions { requests.append(await subscription.next()) }
      return requests
    }
    XCTAssertEqual(requests.map { $0?.reply(7) }, [true, false, false])
    assertEqual(try await asker.result(), 7)
  }

  func test_C80_questionsArriveInTheOrderInWhichTheyWereAsked() async throws {
    let input = Input<Doubling>()
    let inlet = input.inlet
    for number in 0..<10 { _ = try await inlet.asking(number) }
    let requests = try await input.received.take(10)
    XCTAssertEqual(requests.map(\.question), Array(0..<10))
  }

  func test_C80_inputsThatAreMadeOfOneInputAndTransformedInletsCarryRequests() async throws {
    enum Command: Sendable {
      case double(Request<Int, Int>)
      case reset(Request<Void, Void>)
    }
    let commands = Input<Command>()
    let double = commands.inlet(Command.double)
    let reset = commands.inlet(Command.reset)
    let owner = Task {
      for await command in commands.received {
        switch command {
        case .double(let request): request.reply(2 * request.question)
        case .reset(let request): request.reply()
        }
      }
    }
    let doubled = await double.ask(4)
    XCTAssertEqual(doubled, 8)
    let wasReset: Void? = await reset.ask()
    XCTAssertNotNil(wasReset)
    owner.cancel()
  }

  func test_C81a_whereNobodyListensTheAnswerIsNil() async throws {
    let channel = Channel<Doubling>()
    let inlet = channel.inlet
    let reply = try await within { await inlet.ask(1) }
    XCTAssertNil(reply)
  }

  func test_C81b_aFinishedOrVanishedChannelAnswersNil() async throws {
    var channel = Optional(Channel<Doubling>())
    let received = channel?.outlet.subscribe()
    let inlet = try XCTUnwrap(channel?.inlet)
    channel?.finish()
    assertEqual(try await within { await inlet.ask(1) }, nil)
    channel = nil
    assertEqual(try await within { await inlet.ask(1) }, nil)
    _ = received
  }

  func test_C81c_aRequestThatIsDroppedUnansweredAnswersNil() async throws {
    let input = Input<Doubling>()
    let inlet = input.inlet
    let asker = Task { await inlet.ask(1) }
    try await within { _ = await input.received.next() }
    assertEqual(try await asker.result(), nil)
  }

  func test_C81c_aRequestThatThePolicyDropsAnswersNil() async throws {
    let input = Input<Doubling>(buffering: .bufferingNewest(1))
    let inlet = input.inlet
    let first = try await inlet.asking(1)
    let second = try await inlet.asking(2)
    assertEqual(try await first.result(), nil)
    try await within { _ = await input.received.next()?.reply(4) }
    assertEqual(try await second.result(), 4)
  }

  func test_C81c_aSubscriptionThatIsDroppedWithItsBacklogAnswersNil() async throws {
    let channel = Channel<Doubling>()
    var received = Optional(channel.outlet.subscribe())
    let inlet = channel.inlet
    var askers: [Task<Int?, Never>] = []
    for number in 0..<10 { askers.append(try await inlet.asking(number)) }
    XCTAssertNotNil(received)
    received = nil
    for asker in askers { assertEqual(try await asker.result(), nil) }
  }

  func test_C82_cancellingTheAskerEndsItsWaitAndTheReplyGoesNowhere() async throws {
    let input = Input<Doubling>()
    let inlet = input.inlet
    let asker = Task { await inlet.ask(1) }
    let request = try await within { await input.received.next() }
    asker.cancel()
    assertEqual(try await asker.result(), nil)
    XCTAssertEqual(request?.reply(2), true)
  }

  func test_C82_aTaskThatIsCancelledAlreadySendsNothing() async throws {
    let input = Input<Doubling>()
    let inlet = input.inlet
    let asker = Task {
      cancelThisTask()
      return await inlet.ask(1)
    }
    assertEqual(try await asker.result(), nil)
    input.finish()
    assertEqual(try await input.received.collect().count, 0)
  }

  func test_C120a_aRequestIsAwaitedUntilItsFirstReply() async throws {
    let input = Input<Doubling>()
    let asker = try await input.inlet.asking(1)
    let received = try await within { await input.received.next() }
    let request = try XCTUnwrap(received)
    XCTAssertTrue(request.isAwaited)
    request.reply(2)
    XCTAssertFalse(request.isAwaited)
    assertEqual(try await asker.result(), 2)
    XCTAssertFalse(request.isAwaited)
  }

  func test_C120a_C120b_aRequestIsNotAwaitedWhenItsAskerWasCancelled() async throws {
    let input = Input<Doubling>()
    let inlet = input.inlet
    for round in 0..<200 {
      let asker = try await inlet.asking(round)
      let received = try await within { await input.received.next() }
      let request = try XCTUnwrap(received)
      await giveWay(round % 4)  // so that it waits already in some rounds
      asker.cancel()
      assertEqual(try await asker.result(), nil)
      XCTAssertFalse(request.isAwaited)
      XCTAssertTrue(request.reply(1), "it is the first reply all the same")
    }
  }

  func test_C84_aWaitingAskerKeepsNeitherTheRequestNorTheChannel() async throws {
    var channel = Optional(Channel<Request<Tracked, Int>>())
    weak let weakChannel = channel
    let census = Census()
    let received = channel?.outlet.subscribe()
    let inlet = try XCTUnwrap(channel?.inlet)
    let asker = Task { await inlet.ask(Tracked(1, in: census)) }
    var request = try await within { await received?.next() }
    XCTAssertEqual(census.count, 1)
    channel = nil
    XCTAssertNil(weakChannel)
    XCTAssertNotNil(request)
    request = nil
    assertEqual(try await asker.result(), nil)
    XCTAssertEqual(census.count, 0)
  }

  func test_C84_finishingAnInputLeavesWhatWasAskedBeforeAndRefusesWhatComesLater() async throws {
    let input = Input<Doubling>()
    let inlet = input.inlet
    let asker = try await inlet.asking(1)
    input.finish()
    assertEqual(try await within { await inlet.ask(2) }, nil)
    var questions: [Int] = []
    for await request in input.received {
      questions.append(request.question)
      request.reply(10)
    }
    XCTAssertEqual(questions, [1])
    assertEqual(try await asker.result(), 10)
  }
}

extension Inlet {
  /// Asks in a task, and returns it when the question has been sent.
  fileprivate func asking<Question, Reply>(_ question: Question) async throws -> Task<Reply?, Never>
  where Element == Request<Question, Reply> {
    let isSent = Gate()
    let spied = Inlet.forwarding { request in
      defer { isSent.open() }
      return send(request)
    }
    let asker = Task { await spied.ask(question) }
    try await within { await isSent.pass() }
    return asker
  }
}
