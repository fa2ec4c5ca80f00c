import AsyncChannels
import Proof

/// A channel is finished, or its owner dropped, while somebody subscribes.
///
/// The subscription gets the replay window and the end, or the end only.
enum FinishAgainstSubscribe {
  /// `@unchecked Sendable`: each variable is written on one lane, and read when both are done.
  private final class Item: @unchecked Sendable {
    var channel: Channel<Tracked>?
    let outlet: Outlet<Tracked>
    let inlet: Inlet<Tracked>
    var subscription: Subscription<Tracked>?
    var take: Task<[Int], Never>?

    init(_ channel: Channel<Tracked>) {
      self.channel = channel
      outlet = channel.outlet
      inlet = channel.inlet
    }
  }

  static func race(_ count: Int, in context: inout RaceContext) -> Figures.Tally {
    context.race(count, "finishes against subscribes", batch)
  }

  private static func batch(
    _ context: inout RaceContext, _ count: Int, _ census: Census
  ) -> Figures.Tally {
    let replays = context.random.number(1...3)
    let items = (0..<count).map { _ in Item(context.channel(replaying: replays)) }
    for item in items {
      for number in 0...replays { item.inlet.send(Tracked(number, in: census)) }
    }
    let dropsOwner = context.random.oneIn(2)
    let consumesAtOnce = context.random.oneIn(4)
    var tally = context.both(count) { index in
      if dropsOwner { items[index].channel = nil } else { items[index].channel?.finish() }
    } against: { index in
      let subscription = items[index].outlet.subscribe()
      items[index].subscription = subscription
      if consumesAtOnce { items[index].take = Tasks.start { await subscription.rest() } }
    }
    tally.firstWon = blocking {
      var finished = 0
      for (index, item) in items.enumerated() {
        Activity(0).note("waits for the subscriber of a finish against a subscribe", index)
        guard let subscription = item.subscription else { fail("a lane left something out") }
        let received = await (item.take ?? Tasks.start { await subscription.rest() }).value
        if received != [] && received != Array(1...replays) {
          fail("replays 1 to \(replays), finished: the subscriber got \(received)")
        }
        if item.channel?.subscriberCount ?? 0 != 0 { fail("a finished channel has a subscriber") }
        if case .sent = item.inlet.send(Tracked(9, in: census)) {
          fail("a finished channel took an element")
        }
        if await subscription.next() != nil { fail("there was an element behind the end") }
        if received == [] { finished += 1 }
      }
      return finished
    }
    // Of a finished channel that is still there, nothing is kept.
    if !eventually(within: 10, { census.count == 0 }) {
      fail("\(census.count) elements are alive in finished channels")
    }
    withExtendedLifetime(items) {}
    return tally
  }
}
