import AsyncChannels
import Proof

/// A subscription with a backlog is dropped while something is sent to it.
///
/// Its elements are released at once, and a bystander keeps them all.
enum DropAgainstSend {
  /// `@unchecked Sendable`: each variable is written on one lane, and read when both are done.
  private final class Item: @unchecked Sendable {
    let channel: Channel<Tracked>
    let bystander: Subscription<Tracked>?
    var subscription: Subscription<Tracked>?
    var result = SendResult<Tracked>.sent(subscribers: -1)

    init(_ channel: Channel<Tracked>, hasBystander: Bool) {
      self.channel = channel
      bystander = hasBystander ? channel.outlet.subscribe() : nil
      subscription = channel.outlet.subscribe()
    }
  }

  static func race(_ count: Int, in context: inout RaceContext) -> Figures.Tally {
    context.race(count, "drops against sends", batch)
  }

  private static func batch(
    _ context: inout RaceContext, _ count: Int, _ census: Census
  ) -> Figures.Tally {
    let bystanders = context.random.number(0...1)
    let backlog = context.random.number(0...5)
    let items = (0..<count).map { _ in
      Item(context.channel(replaying: 0), hasBystander: bystanders == 1)
    }
    for item in items {
      for number in 0..<backlog { item.channel.send(Tracked(number, in: census)) }
    }
    var tally = context.both(count) { index in
      items[index].subscription = nil
    } against: { index in
      items[index].result = items[index].channel.send(Tracked(backlog, in: census))
    }
    // Here no task has a part, so this holds at once.
    if census.count != bystanders * (backlog + 1) * count {
      fail("\(census.count) elements are alive, not \(bystanders * (backlog + 1) * count)")
    }
    for item in items {
      guard case .sent(let subscribers) = item.result else { fail("a channel was finished") }
      if subscribers == bystanders { tally.firstWon += 1 }
      let isRight = (bystanders...bystanders + 1).contains(subscribers)
      if !isRight || item.channel.subscriberCount != bystanders {
        fail("sent to \(subscribers); now \(item.channel.subscriberCount), not \(bystanders)")
      }
    }
    blocking {
      for item in items {
        guard let bystander = item.bystander else { continue }
        item.channel.finish()
        let rest = await bystander.rest()
        if rest != Array(0...backlog) { fail("a bystander got \(rest), not 0 to \(backlog)") }
      }
    }
    return tally
  }
}
