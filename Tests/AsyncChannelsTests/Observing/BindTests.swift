import TestSupport
import XCTest

@testable import AsyncChannels

final class BindTests: XCTestCase {
  func test_C46_everythingIsSentInOrderUntilTheSequenceEnds() async throws {
    let channel = Channel<Int>()
    let sent = channel.outlet.subscribe()
    // No `try`: this sequence cannot fail.
    await Outlet.just(1, 2, 3).bind(to: channel.inlet)
    let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
    for number in 4..<1_000 { continuation.yield(number) }
    continuation.finish()
    await numbers.bind(to: channel.inlet)
    channel.finish()
    assertEqual(try await sent.collect(), Array(1..<1_000))
  }

  func test_C46_anOutletIsBoundUntilItsChannelIsFinished() async throws {
    let taps = Channel<Int>()
    let signIn = Channel<Int>()
    let signIns = signIn.outlet.subscribe()
    let binding = Task { await taps.outlet.bind(to: signIn.inlet) }
    try await taps.untilAsleep(1)
    for number in 0..<10 { taps.send(number) }
    let first = try await signIns.take(10)
    taps.finish()
    try await within { await binding.value }
    XCTAssertEqual(first, Array(0..<10))
    // The end of a source is not the end of where it leads.
    XCTAssertEqual(signIn.send(10), .sent(subscribers: 1))
  }

  func test_C46_bindingReturnsAtTheFirstElementThatAFinishedChannelRefuses() async throws {
    let channel = Channel<Int>()
    let sent = channel.outlet.subscribe()
    let asked = Record<Int>()
    let numbers = Numbers { number in
      asked.add(number)
      if number == 3 { channel.finish() }
      return number
    }
    try await within { await numbers.bind(to: channel.inlet) }
    assertEqual(try await sent.collect(), [0, 1, 2])
    XCTAssertEqual(asked.events, [0, 1, 2, 3], "more was taken than could be sent")
  }

  func test_C46_bindingReturnsAtTheFirstElementThatAChannelThatIsGoneRefuses() async throws {
    let inlet = Channel<Int>().inlet
    let asked = Record<Int>()
    let numbers = Numbers { number in
      asked.add(number)
      return number
    }
    try await within { await numbers.bind(to: inlet.contramap { $0 }) }
    XCTAssertEqual(asked.events, [0])
  }

  func test_C46_cancellingEndsABindingThatWaits() async throws {
    let taps = Channel<Int>()
    let signIn = Channel<Int>()
    let signIns = signIn.outlet.subscribe()
    let binding = Task { await taps.outlet.bind(to: signIn.inlet) }
    try await taps.untilAsleep(1)
    taps.send(1)
    let first = try await signIns.take(1)
    try await taps.untilAsleep(1)
    try await binding.cancelAndWait()
    taps.send(2)
    signIn.finish()
    let rest = try await signIns.collect()
    XCTAssertEqual(first, [1])
    XCTAssertEqual(rest, [])
    XCTAssertEqual(taps.subscriberCount, 0)
  }

  func test_C46_aTaskThatIsAlreadyCancelledSendsNothing() async throws {
    let channel = Channel<Int>()
    let sent = channel.outlet.subscribe()
    let cancelled = Gate()
    let asked = Record<Int>()
    let binding = Task {
      await cancelled.pass()
      await Outlet.just(1, 2, 3).bind(to: channel.inlet)
      let numbers = Numbers { number in
        asked.add(number)
        return number < 10 ? number : nil
      }
      await numbers.bind(to: channel.inlet)
    }
    binding.cancel()
    cancelled.open()
    try await within { await binding.value }
    channel.finish()
    assertEqual(try await sent.collect(), [])
    XCTAssertEqual(asked.events, [])
  }

  func test_C46_aSequenceThatDoesNotNoticeCancellationIsLeftAtItsNextElement() async throws {
    let channel = Channel<Int>()
    let sent = channel.outlet.subscribe()
    let numbers = Numbers { number in
      if number == 5 { withUnsafeCurrentTask { $0?.cancel() } }
      return number
    }
    let binding = Task { await numbers.bind(to: channel.inlet) }
    try await within { await binding.value }
    channel.finish()
    assertEqual(try await sent.collect(), Array(0...5))
  }

  func test_C46_anErrorOfTheSequenceIsThrownAsItIs() async throws {
    let channel = Channel<Int>()
    let sent = channel.outlet.subscribe()
    do throws(Failing.Failure) {
      try await Failing().bind(to: channel.inlet)
      XCTFail("nothing was thrown")
    } catch {
      // Without a cast: the type says what was thrown.
      XCTAssertEqual(error.number, 3)
    }
    // An error is no end of the channel.
    XCTAssertEqual(channel.send(3), .sent(subscribers: 1))
    assertEqual(try await sent.take(4), [0, 1, 2, 3])
  }

  @MainActor
  func test_C46_aSequenceOfTheMainActorIsBoundThere() async throws {
    let channel = Channel<Int>()
    let sent = channel.outlet.subscribe()
    await OfTheMainActor().bind(to: channel.inlet)
    assertEqual(try await sent.take(3), [0, 1, 2])
  }
}

/// Asks for each number, until there is none. Looks at no cancellation, and never suspends.
private struct Numbers: AsyncSequence, Sendable {
  let ask: @Sendable (Int) -> Int?

  struct Iterator: AsyncIteratorProtocol {
    let ask: @Sendable (Int) -> Int?
    var number = 0

    mutating func next(isolation: isolated (any Actor)?) async -> Int? {
      defer { number += 1 }
      return ask(number)
    }
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(ask: ask)
  }
}

private struct Failing: AsyncSequence, Sendable {
  struct Failure: Error {
    let number: Int
  }

  struct Iterator: AsyncIteratorProtocol {
    var number = 0

    mutating func next(isolation: isolated (any Actor)?) async throws(Failure) -> Int? {
      defer { number += 1 }
      guard number < 3 else { throw Failure(number: number) }
      return number
    }
  }

  func makeAsyncIterator() -> Iterator {
    Iterator()
  }
}

/// An iterator that is not sendable, and says so if it is asked elsewhere.
@MainActor
private struct OfTheMainActor: @MainActor AsyncSequence {
  final class Iterator: AsyncIteratorProtocol {
    var number = 0

    func next(isolation: isolated (any Actor)?) async -> Int? {
      XCTAssert(isolation === MainActor.shared)
      defer { number += 1 }
      return number < 3 ? number : nil
    }
  }

  func makeAsyncIterator() -> Iterator {
    Iterator()
  }
}
