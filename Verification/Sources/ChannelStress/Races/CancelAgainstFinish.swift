import AsyncChannels
import Proof

/// A consumer is cancelled, and hands over, while its channel is finished or dropped by its owner.
/// Both consumers end.
enum CancelAgainstFinish {
  /// `@unchecked Sendable`: each variable is written on one lane, and read when both are done.
  private final class Item: @unchecked Sendable {
    var channel: Channel<Tracked>?
    let subscription: Subscription<Tracked>
    let first: Take
    var second: Take?

    init(_ channel: Channel<Tracked>, _ begun: Begun) {
      self.channel = channel
      subscription = channel.outlet.subscribe()
      first = subscription.take(begun)
    }
  }

  static func race(_ count: Int, in context: inout RaceContext) -> Figures.Tally {
    context.race(count, "cancels against finishes") { context, count, _ in
      let begun = Begun()
      let items = (0..<count).map { _ in Item(context.channel(), begun) }
      context.settle(begun, count)
      let dropsOwner = context.random.oneIn(2)
      let tally = context.both(count) { index in
        items[index].first.cancel()
        items[index].second = items[index].subscription.take()
      } against: { index in
        if dropsOwner { items[index].channel = nil } else { items[index].channel?.finish() }
      }
      blocking {
        for (index, item) in items.enumerated() {
          Activity(0).note("waits for the consumers of a cancel against a finish", index)
          let (first, second) = await numbers(of: item.first, item.second)
          if first != nil || second != nil { fail("there was an element before the end") }
        }
      }
      return tally
    }
  }
}
