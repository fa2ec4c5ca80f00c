import AsyncChannels

/// How a program uses channels of one concrete type: nothing here is generic, so that an optimizing
/// compiler specializes the library's code for this element as it does for a user's.
///
/// Each way is a function that is not inlined into another, so that its frame is one that a user's
/// function would have.
///
/// The plugin `SharedClient` makes this file a source of several modules. Each has an `Element.swift` that says
/// what `Element` is, and how a `sample` of it is made from a number.
public enum Client {
  /// Several segments of the log, whatever the element's size.
  private static let count = 300

  /// What went wrong, a sentence each.
  public static func failures() async -> [String] {
    let expected = (0..<count).map { String(describing: sample($0)) }
    var failures: [String] = []
    func check(_ way: String, _ elements: [Element]) {
      let received = elements.map { String(describing: $0) }
      if received == expected { return }
      let place = zip(received, expected).prefix { $0 == $1 }.count
      failures.append("\(way): \(received.count) of \(count) elements, wrong from \(place) on")
    }
    check("outlet", await outlet())
    check("subscription", await fed { await loop(over: $0.outlet.subscribe()) })
    check("bounded", await fed { await loop(over: $0.outlet.subscribe(buffering: roomy)) })
    check("derived", await fed { await loop(over: derived($0).subscribe()) })
    check(
      "derived, bounded", await fed { await loop(over: derived($0).subscribe(buffering: roomy)) })
    check("actor", await fed { await Listener().loop(over: $0.outlet.subscribe()) })
    check("actor, derived", await fed { await Listener().loop(over: derived($0).subscribe()) })
    check("main actor", await fed { await loopOnMainActor(over: $0.outlet.subscribe()) })
    check(
      "main actor, bounded",
      await fed {
        await loopOnMainActor(over: $0.outlet.subscribe(buffering: roomy))
      })
    check("batches", await fed { await loop(over: $0.outlet.batches()) })
    check("batches, at most 7", await fed { await loop(over: $0.outlet.batches(ofAtMost: 7)) })
    check("batches, derived", await fed { await loop(over: derived($0).subscribe().batches()) })
    check("replay", await replayed())
    check("current value", await currentValue())
    // The compiler (6.3.1) reserves too little room for the frame of some asynchronous functions that
    // handle vectors of 64 bytes, whoever hands them out: these two are among them.
    if isVector(sample(0) as Any) { return failures }
    check("next", await fed { await takeOneByOne(from: $0.outlet.subscribe()) })
    check("iterator", await fed { await takeByIterator(from: $0.outlet.subscribe()) })
    return failures
  }

  private static func isVector(_ element: Any) -> Bool { element is any SIMD }

  private static var roomy: BufferingPolicy { .bufferingNewest(count) }

  private static func derived(_ channel: Channel<Element>) -> Outlet<Element> {
    channel.outlet.map { $0 }.filter { _ in true }
  }

  /// Lets a consumer that subscribes immediately have some elements ready, and wait for others.
  @inline(never)
  private static func fed(
    _ consume: (Channel<Element>) async -> [Element]
  ) async -> [Element] {
    let channel = Channel<Element>()
    let sender = Task { await upstream(channel) }
    let received: [Element] = await consume(channel)
    await sender.value
    return received
  }

  @inline(never)
  private static func upstream(_ channel: Channel<Element>) async {
    while channel.subscriberCount == 0 { await Task.yield() }
    for number in 0..<count {
      channel.send(sample(number))
      if number.isMultiple(of: 7) { await Task.yield() }
    }
    channel.finish()
  }

  @inline(never)
  private static func outlet() async -> [Element] {
    await fed { channel in
      var received: [Element] = []
      for await element in channel.outlet { received.append(element) }
      return received
    }
  }

  @inline(never)
  private static func loop(over subscription: Subscription<Element>) async -> [Element] {
    var received: [Element] = []
    for await element in subscription { received.append(element) }
    return received
  }

  @inline(never)
  private static func loop(over batches: Batches<Element>) async -> [Element] {
    var received: [Element] = []
    for await batch in batches { received += batch }
    return received
  }

  @MainActor @inline(never)
  private static func loopOnMainActor(over subscription: Subscription<Element>) async -> [Element] {
    var received: [Element] = []
    for await element in subscription { received.append(element) }
    return received
  }

  @inline(never)
  private static func takeOneByOne(from subscription: Subscription<Element>) async -> [Element] {
    var received: [Element] = []
    while let element = await subscription.next() { received.append(element) }
    return received
  }

  @inline(never)
  private static func takeByIterator(from subscription: Subscription<Element>) async -> [Element] {
    let iterator = subscription.makeAsyncIterator()
    var received: [Element] = []
    while let element = await iterator.next() { received.append(element) }
    return received
  }

  @inline(never)
  private static func replayed() async -> [Element] {
    let channel = Channel<Element>(replaying: count)
    for number in 0..<count { channel.send(sample(number)) }
    let subscription = channel.outlet.subscribe()
    channel.finish()
    return await loop(over: subscription)
  }

  /// Written in each way there is, read after each.
  @inline(never)
  private static func currentValue() async -> [Element] {
    let value = CurrentValue(sample(0))
    let subscription = value.outlet.subscribe()
    var read: [Element] = [value.value]
    for number in 1..<count {
      switch number % 3 {
      case 0: value.value = sample(number)
      case 1: value.update { $0 = sample(number) }
      default: value.inlet.send(sample(number))
      }
      read.append(value.value)
    }
    value.finish()
    let received: [Element] = await loop(over: subscription)
    let isSame = received.map { String(describing: $0) } == read.map { String(describing: $0) }
    return isSame ? received : []
  }
}

private actor Listener {
  @inline(never)
  func loop(over subscription: Subscription<Element>) async -> [Element] {
    var received: [Element] = []
    for await element in subscription { received.append(element) }
    return received
  }
}
