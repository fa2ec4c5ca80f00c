import AsyncChannels
import Proof

/// Elements are sent to a channel that keeps what is unheard, or it is finished, while the first and
/// the second subscriber come.
///
/// The first gets all; the second gets the end of it, or nothing.
enum KeepAgainstSubscribe {
  /// `@unchecked Sendable`: each variable is written on one lane, and read when both are done.
  private final class Item: @unchecked Sendable {
    let channel: Channel<Tracked>
    var subscriptions: [Subscription<Tracked>] = []

    init(_ channel: Channel<Tracked>) {
      self.channel = channel
    }
  }

  static func race(_ count: Int, in context: inout RaceContext) -> Figures.Tally {
    context.race(count, "keeping against subscribing", batch)
  }

  private static func batch(
    _ context: inout RaceContext, _ count: Int, _ census: Census
  ) -> Figures.Tally {
    let before = context.random.number(0...3)
    let during = context.random.number(1...4)
    let finishes = context.random.oneIn(3)
    let items = (0..<count).map { _ in
      let policy: BufferingPolicy = context.random.oneIn(2) ? .unbounded : .bufferingNewest(8)
      return Item(Channel(keepingUnheard: policy, buffering: policy))
    }
    for item in items {
      for number in 0..<before { item.channel.send(Tracked(number, in: census)) }
    }
    var tally = context.both(count) { index in
      if finishes { return items[index].channel.finish() }
      for number in before..<before + during {
        items[index].channel.send(Tracked(number, in: census))
      }
    } against: { index in
      items[index].subscriptions = (0..<2).map { _ in items[index].channel.outlet.subscribe() }
    }
    tally.firstWon = blocking {
      var late = 0
      let all = Array(0..<(finishes ? before : before + during))
      for (index, item) in items.enumerated() {
        Activity(0).note("waits for the subscribers of what was kept", index)
        item.channel.finish()
        let first = await item.subscriptions[0].rest()
        let second = await item.subscriptions[1].rest()
        if first != all { fail("kept or sent \(all), the first got \(first)") }
        let isEnd = second == all.suffix(second.count) && second.count <= during
        if !isEnd || (finishes && !second.isEmpty) { fail("of \(all), the second got \(second)") }
        if second.isEmpty { late += 1 }
      }
      return late
    }
    withExtendedLifetime(items) {}
    return tally
  }
}
