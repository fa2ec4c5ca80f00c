import TestSupport
import XCTest

@testable import AsyncChannels

final class InputOutputTests: XCTestCase {
  func test_C50_whatIsSentBeforeAnybodyConsumesTheInputWaits() async throws {
    let input = Input<Int>()
    let inlet = input.wrappedValue
    for number in 0..<100 { XCTAssertEqual(inlet.send(number), .sent(subscribers: 1)) }
    assertEqual(try await input.received.take(50), Array(0..<50))
    input.inlet.send(100)
    assertEqual(try await input.received.take(51), Array(50...100))
  }

  func test_C50_aCopyOfAnInputIsTheSameInput() async throws {
    let input = Input<Int>()
    let copy = input
    copy.inlet.send(1)
    assertEqual(try await input.received.take(1), [1])
  }

  func test_C50_theInputsPolicyAppliesFromTheBeginning() async throws {
    let input = Input<Int>(buffering: .bufferingNewest(2))
    for number in 0..<5 { input.inlet.send(number) }
    XCTAssertEqual(input.received.droppedCount, 3)
    assertEqual(try await input.received.take(2), [3, 4])
  }

  func test_C50_anInputEndsWhenItsOwnerIsGone() async throws {
    var input = Optional(Input<Int>())
    let inlet = input?.inlet
    let received = input?.received
    inlet?.send(1)
    input = nil
    XCTAssertEqual(inlet?.send(2), .finished(2))
    assertEqual(try await received?.collect(), [1])
  }

  @MainActor
  func test_C50_whatIsSentWhileNothingRunsWaitsForTheNextRun() async throws {
    let model = CounterModel()
    let totals = model.total.subscribe()
    model.add.send(1)
    let first = Task { await model.run() }
    let one = try await totals.take(1)
    first.cancel()
    // As SwiftUI may: the next is started before the cancelled one has unwound.
    model.add.send(10)
    let second = Task { await model.run() }
    model.add.send(100)
    let others = try await totals.take(2)
    second.cancel()
    try await within {
      await first.value
      await second.value
    }
    XCTAssertEqual(one, [1])
    XCTAssertEqual(others, [11, 111])
  }

  @MainActor
  func test_anInputsReaderDoesNotKeepItsOwnerAlive() async throws {
    var model = Optional(CounterModel())
    weak let sameModel = model
    let totals = model?.total
    let add = model?.add
    let running = Task { [received = model?.received] in
      if let received { for await _ in received {} }
    }
    model = nil
    XCTAssertNil(sameModel)
    XCTAssertEqual(add?.send(1), .finished(1))
    try await within { await running.value }
    assertEqual(try await totals?.collect(), [])
  }

  func test_anOutputSendsReplaysAndFinishesAsItsChannelDoes() async throws {
    let output = Output<Int>(replaying: 1, buffering: .bufferingNewest(2))
    XCTAssertEqual(output.send(1), .sent(subscribers: 0))
    XCTAssertEqual(output.send(2, replayed: false), .sent(subscribers: 0))
    let subscription = output.wrappedValue.subscribe()
    let unbounded = output.outlet.subscribe(buffering: .unbounded)
    for number in 3...5 { XCTAssertEqual(output.send(number), .sent(subscribers: 2)) }
    output.finish()
    XCTAssertEqual(output.send(6), .finished(6))
    XCTAssertEqual(subscription.droppedCount, 2)
    let received = try await (subscription.collect(), unbounded.collect())
    XCTAssertEqual(received.0, [4, 5])
    XCTAssertEqual(received.1, [1, 3, 4, 5])
  }

  func test_anOutputEndsWhenItsOwnerIsGone() async throws {
    var output = Optional(Output<Int>())
    let outlet = output?.outlet
    let subscription = outlet?.subscribe()
    output?.send(1)
    output = nil
    assertEqual(try await subscription?.collect(), [1])
    assertEqual(try await outlet?.collect(), [])
  }

  func test_inputsAndOutputsOfVoidAreSentWithNoArgument() async throws {
    let input = Input<Void>()
    let output = Output<Void>()
    let channel = Channel<Void>()
    let subscriptions = [input.received, output.outlet.subscribe(), channel.outlet.subscribe()]
    input.inlet.send()
    output.send()
    channel.send()
    for subscription in subscriptions {
      assertEqual(try await subscription.take(1).count, 1)
    }
  }

  @MainActor
  func test_theWrappersOfOneTypeDoNotShareAnything() async throws {
    let models = (CounterModel(), CounterModel())
    models.0.add.send(1)
    XCTAssertEqual(models.0.total.subscribe().droppedCount, 0)
    let second = Task { await models.1.run() }
    let totals = models.1.total.subscribe()
    models.1.add.send(5)
    let received = try await totals.take(1)
    XCTAssertEqual(received, [5])
    second.cancel()
    assertEqual(try await models.0.received.take(1), [1])
  }
}

@MainActor
private final class CounterModel {
  @Input var add: Inlet<Int>
  @Output var total: Outlet<Int>
  private var sum = 0

  var received: Subscription<Int> { _add.received }

  func run() async {
    for await number in _add.received {
      sum += number
      _total.send(sum)
    }
  }
}
