import AsyncChannels
import AsyncChannelsTesting
import Proof

/// Somebody waits until a channel has settled, while one of its subscribers leaves, falls asleep, is
/// cancelled or takes what there is, and more is sent.
///
/// The wait ends, with true; by then the subscribers that stay have worked on what was sent before it.
enum SettleAgainstLeave {
  /// `@unchecked Sendable`: each variable is written on one lane, and read when both are done.
  private final class Item: @unchecked Sendable {
    let channel: Channel<Tracked>
    /// Takes all there is, one after the other or in batches.
    let steady: Task<Void, Never>
    let worked = Monitor(0)
    var subscription: Subscription<Tracked>?
    var consumer: Task<Void, Never>?
    var settled: Task<(Bool, Int), Never>?

    init(_ channel: Channel<Tracked>, inBatches: Bool) {
      self.channel = channel
      let steady = channel.outlet.subscribe()
      subscription = channel.outlet.subscribe()
      let worked = worked
      self.steady = Tasks.start {
        if inBatches {
          for await batch in steady.batches() { worked.withLock { $0 += batch.count } }
        } else {
          for await _ in steady { worked.withLock { $0 += 1 } }
        }
      }
    }
  }

  static func race(_ count: Int, in context: inout RaceContext) -> Figures.Tally {
    context.race(count, "settling against leaving", batch)
  }

  private static func batch(
    _ context: inout RaceContext, _ count: Int, _ census: Census
  ) -> Figures.Tally {
    // More than a segment has room for, now and then.
    let sent = context.random.oneIn(8) ? 70 : context.random.number(0...3)
    let later = context.random.number(0...2)
    let inBatches = context.random.oneIn(2)
    let items = (0..<count).map { _ in
      Item(
        Channel(buffering: context.random.oneIn(2) ? .unbounded : .bufferingOldest(128)),
        inBatches: inBatches)
    }
    for item in items {
      for number in 0..<sent { item.channel.send(Tracked(number, in: census)) }
    }
    let way = context.random.number(0...2)
    let tally = context.both(count) { index in
      let item = items[index]
      guard let subscription = item.subscription.take() else { fail("a lane left something out") }
      if way == 0 { return }  // it is dropped here
      let consumer = Tasks.start { for await _ in subscription {} }
      if way == 1 { consumer.cancel() }
      item.consumer = consumer
      for number in 0..<later { item.channel.send(Tracked(number, in: census)) }
    } against: { index in
      let item = items[index]
      item.settled = Tasks.start {
        let isSettled = await item.channel.outlet.waitUntilSettled()
        return (isSettled, item.worked.withLock { $0 })
      }
    }
    blocking {
      for (index, item) in items.enumerated() {
        Activity(0).note("waits for a channel to settle", index)
        guard let (isSettled, worked) = await item.settled?.value else {
          fail("a lane left something out")
        }
        if !isSettled { fail("a channel that was not finished has not settled") }
        if worked < sent { fail("settled when \(worked) of \(sent) were worked on") }
        item.channel.finish()
        await item.steady.value
        await item.consumer?.value
      }
    }
    withExtendedLifetime(items) {}
    return tally
  }
}
