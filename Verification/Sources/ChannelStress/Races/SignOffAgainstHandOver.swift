import AsyncChannels
import Proof

/// A consumer is cancelled by two at once, and one of them hands over as soon as its own
/// `cancel()` has returned, while the cancelled one signs off. The next gets what is sent then.
enum SignOffAgainstHandOver {
  /// `@unchecked Sendable`: `second` is written on one lane, and read when both are done.
  private final class Item: @unchecked Sendable {
    let channel: Channel<Tracked>
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
    context.race(count, "sign-offs against hand-overs") { context, count, census in
      let begun = Begun()
      let items = (0..<count).map { _ in Item(context.channel(), begun) }
      context.settle(begun, count)
      let tally = context.both(count) { index in
        items[index].first.cancel()
      } against: { index in
        items[index].first.cancel()
        items[index].second = items[index].subscription.take()
      }
      blocking {
        for (index, item) in items.enumerated() {
          Activity(0).note("waits for the consumers of a sign-off", index)
          item.channel.send(Tracked(index, in: census))
          let (first, second) = await numbers(of: item.first, item.second)
          if first != nil || second != index {
            fail("the cancelled got \(text(first)), the next \(text(second)), not \(index)")
          }
        }
      }
      return tally
    }
  }
}
