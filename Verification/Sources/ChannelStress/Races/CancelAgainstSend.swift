import AsyncChannels
import Proof

/// A consumer is cancelled, and hands over, while something is sent to it.
///
/// One of the two consumers gets the element, whoever it is; bystanders notice nothing.
enum CancelAgainstSend {
  /// `@unchecked Sendable`: `second` is written on one lane, and read when both are done.
  private final class Item: @unchecked Sendable {
    let channel: Channel<Tracked>
    let subscription: Subscription<Tracked>
    let first: Take
    let bystanders: [Take]
    /// Made before, so that the lane has no more to do than to send it.
    let element: Tracked
    var second: Take?

    init(
      _ channel: Channel<Tracked>, _ element: Tracked, bystanders count: Int, _ begun: Begun
    ) {
      self.channel = channel
      self.element = element
      bystanders = (0..<count).map { _ in channel.outlet.subscribe().take(begun) }
      subscription = channel.outlet.subscribe()
      first = subscription.take(begun)
    }
  }

  static func race(_ count: Int, in context: inout RaceContext) -> Figures.Tally {
    context.race(count, "cancels against sends", batch)
  }

  private static func batch(
    _ context: inout RaceContext, _ count: Int, _ census: Census
  ) -> Figures.Tally {
    // With bystanders there are so many sleepers that the ringer rings them.
    let bystanders = context.random.oneIn(4) ? 3 : 0
    let begun = Begun()
    let items = (0..<count).map { index in
      let element = Tracked(2 * index, in: census)
      return Item(context.channel(), element, bystanders: bystanders, begun)
    }
    context.settle(begun, count * (1 + bystanders))
    var tally = context.both(count) { index in
      items[index].first.cancel()
      items[index].second = items[index].subscription.take()
    } against: { index in
      items[index].channel.send(items[index].element)
    }
    tally.firstWon = blocking {
      var cancelled = 0
      for (index, item) in items.enumerated() {
        Activity(0).note("waits for the consumers of a cancel against a send", index)
        item.channel.send(Tracked(2 * index + 1, in: census))
        let (first, second) = await numbers(of: item.first, item.second)
        let expected = first == nil ? 2 * index : 2 * index + 1
        if first ?? 2 * index != 2 * index || second != expected {
          fail("sent \(2 * index) and the next; got \(text(first)) and \(text(second))")
        }
        for bystander in item.bystanders where await bystander.value != 2 * index {
          fail("a bystander did not get element \(2 * index)")
        }
        if first == nil { cancelled += 1 }
      }
      return cancelled
    }
    return tally
  }
}
