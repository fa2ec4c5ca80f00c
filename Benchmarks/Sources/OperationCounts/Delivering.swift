import AsyncChannels
import AsyncChannelsRecording
import Synchronization

extension Operation {
  static let sending = [
    Operation("send-to-nobody") { times in
      let channel = Channel<Int>()
      for number in 0..<times { channel.send(number) }
      return true
    },
    Operation("send-to-nobody-replaying-1") { times in
      let channel = Channel<Int>(replaying: 1)
      for number in 0..<times { channel.send(number) }
      return await channel.outlet.subscribe().next() == times - 1
    },
    // All is sent before anything is taken, so these two are the same without the taking.
    Operation("send-to-one") { times in
      let channel = Channel<Int>()
      let subscription = channel.outlet.subscribe()
      for number in 0..<times { channel.send(number) }
      return await subscription.next() == 0
    },
    Operation("send-to-one-bounded") { times in
      let channel = Channel<Int>(buffering: .bufferingNewest(1))
      let subscription = channel.outlet.subscribe()
      for number in 0..<times { channel.send(number) }
      return await subscription.next() == times - 1
    },
  ]

  static let delivering = [
    Operation("send-and-take-subscription") { times in
      let channel = Channel<Int>()
      return await sendAndTake(times, channel, from: channel.outlet.subscribe())
    },
    Operation("send-and-take-outlet") { times in
      let channel = Channel<Int>()
      return await sendAndTake(times, channel, from: channel.outlet)
    },
    Operation("send-and-take-outlet-bounded") { times in
      let channel = Channel<Int>(buffering: .bufferingNewest(1))
      return await sendAndTake(times, channel, from: channel.outlet)
    },
    Operation("send-and-take-outlet-recorded", times: 512) { times in
      let channel = Channel<Int>()
      let recording = Recording()
      recording.add(channel, as: "numbers")
      defer { withExtendedLifetime(recording) {} }
      return await sendAndTake(times, channel, from: channel.outlet)
    },
    Operation("send-and-two-takes-outlet") { await sendAndTakeTwice($0) { $0 } },
    Operation("send-and-two-takes-outlet-String") { await sendAndTakeTwice($0) { fresh($0) } },
    Operation("send-and-take-in-batches-of-64") { await sendAndTakeBatches($0) },
    Operation("a-fresh-String") { times in
      (0..<times).reduce(true) { $0 && !fresh($1).isEmpty }
    },
    // Others get a turn each millisecond, and callgrind makes a millisecond short.
    Operation("send-and-take-outlet-on-an-actor", isConcurrent: true) { await OnAnActor().run($0) },
    Operation("send-and-take-outlet-on-the-main-actor", isConcurrent: true) {
      await onTheMainActor($0)
    },
  ]

  static let others = [
    Operation("round-trip", times: 512, isConcurrent: true) { await roundTrip($0) },
    Operation("round-trip-AsyncStream", times: 512, isConcurrent: true) {
      await roundTripStreams($0)
    },
    Operation("round-trip-on-the-main-actor", times: 512, isConcurrent: true) {
      let (there, back) = (Channel<Int>(), Channel<Int>())
      return await roundTripOnTheMainActor(
        $0, there.outlet.subscribe(), back.outlet.subscribe(), sendThere: { there.send($0) },
        sendBack: { back.send($0) })
    },
    Operation("round-trip-on-the-main-actor-AsyncStream", times: 512, isConcurrent: true) {
      let there = AsyncStream.makeStream(of: Int.self)
      let back = AsyncStream.makeStream(of: Int.self)
      return await roundTripOnTheMainActor(
        $0, there.stream, back.stream, sendThere: { there.continuation.yield($0) },
        sendBack: { back.continuation.yield($0) })
    },
    // The least that an input costs which is answered to a listener, both on the main actor: without
    // elements, states and promises.
    Operation("two-rings-and-a-hop-on-the-main-actor", times: 512, isConcurrent: true) {
      await twoRingsAndAHop($0)
    },
    Operation("subscribe-and-drop") { times in
      let channel = Channel<Int>()
      let first = channel.outlet.subscribe()
      for _ in 0..<times { _ = channel.outlet.subscribe() }
      withExtendedLifetime(first) {}
      return channel.subscriberCount == 1
    },
    Operation("make-a-channel") { times in
      for number in 0..<times { Channel<Int>().send(number) }
      return true
    },
  ]
}

/// More than fits into a string itself, so that it is an object.
@inline(never)
private func fresh(_ number: Int) -> String {
  String(1_000_000_000_000_000_000 + number)
}

// `@concurrent`: else the executor is the caller's, and is asked for at each element.

@concurrent
private func sendAndTake<Source: AsyncSequence<Int, Never>>(
  _ times: Int, _ channel: Channel<Int>, from source: sending Source
) async -> Bool {
  var iterator = source.makeAsyncIterator()
  var sum = 0
  for number in 0..<times {
    channel.send(number)
    sum += await iterator.next(isolation: nil) ?? 0
  }
  return sum == times * (times - 1) / 2
}

@concurrent
private func sendAndTakeBatches(_ times: Int) async -> Bool {
  let channel = Channel<Int>()
  let batches = channel.outlet.batches().makeAsyncIterator()
  var sum = 0
  for start in stride(from: 0, to: times, by: 64) {
    for number in start..<min(start + 64, times) { channel.send(number) }
    sum += await batches.next(isolation: nil)?.reduce(0, +) ?? 0
  }
  return sum == times * (times - 1) / 2
}

@concurrent
private func sendAndTakeTwice<Element: Sendable>(
  _ times: Int, _ element: @Sendable (Int) -> Element
) async -> Bool {
  let channel = Channel<Element>()
  let iterators = (channel.outlet.makeAsyncIterator(), channel.outlet.makeAsyncIterator())
  var count = 0
  for number in 0..<times {
    channel.send(element(number))
    if await iterators.0.next(isolation: nil) != nil { count += 1 }
    if await iterators.1.next(isolation: nil) != nil { count += 1 }
  }
  return count == times * 2
}

private actor OnAnActor {
  func run(_ times: Int) async -> Bool {
    let channel = Channel<Int>()
    let iterator = channel.outlet.makeAsyncIterator()
    var sum = 0
    for number in 0..<times {
      channel.send(number)
      sum += await iterator.next() ?? 0
    }
    return sum == times * (times - 1) / 2
  }
}

@MainActor
private func onTheMainActor(_ times: Int) async -> Bool {
  let channel = Channel<Int>()
  let iterator = channel.outlet.makeAsyncIterator()
  var sum = 0
  for number in 0..<times {
    channel.send(number)
    sum += await iterator.next() ?? 0
  }
  return sum == times * (times - 1) / 2
}

private func roundTrip(_ times: Int) async -> Bool {
  let (there, back) = (Channel<Int>(), Channel<Int>())
  return await roundTrip(
    times, there.outlet.subscribe(), back.outlet.subscribe(), sendThere: { there.send($0) },
    sendBack: { back.send($0) })
}

private func roundTripStreams(_ times: Int) async -> Bool {
  let there = AsyncStream.makeStream(of: Int.self)
  let back = AsyncStream.makeStream(of: Int.self)
  return await roundTrip(
    times, there.stream, back.stream, sendThere: { there.continuation.yield($0) },
    sendBack: { back.continuation.yield($0) })
}

private func roundTrip<Stream: AsyncSequence<Int, Never> & Sendable>(
  _ times: Int, _ there: Stream, _ back: Stream,
  sendThere: @escaping @Sendable (Int) -> Void, sendBack: @escaping @Sendable (Int) -> Void
) async -> Bool {
  async let answering = Task.detached {
    var count = 0
    for await number in there {
      sendBack(number)
      count += 1
      if count == times { break }
    }
    return count
  }.value
  let asking = Task.detached {
    var iterator = back.makeAsyncIterator()
    var count = 0
    for number in 0..<times {
      sendThere(number)
      if await iterator.next(isolation: nil) == number { count += 1 }
    }
    return count
  }
  let (answered, asked) = await (answering, asking.value)
  return answered == times && asked == times
}

@MainActor
private func roundTripOnTheMainActor<Stream: AsyncSequence<Int, Never> & Sendable>(
  _ times: Int, _ there: Stream, _ back: Stream,
  sendThere: @escaping @Sendable (Int) -> Void, sendBack: @escaping @Sendable (Int) -> Void
) async -> Bool {
  let answering = Task {
    var iterator = there.makeAsyncIterator()
    for _ in 0..<times {
      if let number = await iterator.next(isolation: MainActor.shared) { sendBack(number) }
    }
  }
  var iterator = back.makeAsyncIterator()
  var asked = 0
  for number in 0..<times {
    sendThere(number)
    if await iterator.next(isolation: MainActor.shared) == number { asked += 1 }
  }
  await answering.value
  return asked == times
}

@MainActor
private func twoRingsAndAHop(_ times: Int) async -> Bool {
  let there = AsyncStream.makeStream(of: Void.self)
  let back = AsyncStream.makeStream(of: Void.self)
  let counter = Counter()
  let answering = Task {
    var iterator = there.stream.makeAsyncIterator()
    for _ in 0..<times {
      await iterator.next(isolation: MainActor.shared)
      await counter.raiseElsewhere()
      back.continuation.yield()
    }
  }
  var iterator = back.stream.makeAsyncIterator()
  for _ in 0..<times {
    there.continuation.yield()
    await iterator.next(isolation: MainActor.shared)
  }
  await answering.value
  return counter.count.load(ordering: .relaxed) == times
}

private final class Counter: Sendable {
  let count = Atomic(0)

  /// It touches memory, or the compiler would leave out the hop.
  @inline(never) @concurrent
  func raiseElsewhere() async {
    count.add(1, ordering: .relaxed)
  }
}
