import AsyncChannels
import Proof
import Synchronization

/// Something is sent while its consumer falls asleep: it must be woken for that, since nothing else is
/// sent.
enum SendAgainstSleep {
  private final class Item: Sendable {
    let channel: Channel<Tracked>
    let element: Tracked
    let executor = SteppedExecutor()
    let taken = Atomic(-1)

    init(_ channel: Channel<Tracked>, _ element: Tracked) {
      self.channel = channel
      self.element = element
      let subscription = channel.outlet.subscribe()
      Task(executorPreference: executor) {
        let number = await subscription.next()?.number
        self.taken.store(number ?? -2, ordering: .releasing)
      }
    }

    var isTaken: Bool { taken.load(ordering: .acquiring) != -1 }
  }

  static func race(_ count: Int, in context: inout RaceContext) -> Figures.Tally {
    context.race(count, "sends against sleeps", batch)
  }

  private static func batch(
    _ context: inout RaceContext, _ count: Int, _ census: Census
  ) -> Figures.Tally {
    let items = (0..<count).map { Item(context.channel(replaying: 0), Tracked($0, in: census)) }
    let tally = context.both(count) { index in
      items[index].channel.send(items[index].element)
    } against: { index in
      _ = items[index].executor.run(atMost: 0) { true }
    }
    for (index, item) in items.enumerated() {
      guard item.isTaken || item.executor.run(atMost: 10, until: { item.isTaken }) else {
        fail("element \(index) was sent to a consumer that sleeps on")
      }
      let taken = item.taken.load(ordering: .acquiring)
      if taken != index { fail("got \(taken) instead of element \(index)") }
    }
    return tally
  }
}
