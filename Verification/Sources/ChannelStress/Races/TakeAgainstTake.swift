import AsyncChannels
import Proof

/// Two consumers take the same elements at the same time, or one takes them and the other drops its
/// subscription. Whoever is the last at an element releases it: at once, and only once.
enum TakeAgainstTake {
  /// `@unchecked Sendable`: `subscription` is written on one lane, and read by no other.
  private final class Item: @unchecked Sendable {
    var subscription: Subscription<Tracked>?

    init(_ subscription: Subscription<Tracked>) {
      self.subscription = subscription
    }
  }

  static func race(_ count: Int, in context: inout RaceContext) -> Figures.Tally {
    context.race(count, "takes against takes", context.random.oneIn(4) ? dropsAgainstTakes : batch)
  }

  /// Two loops in step. They run on the two threads; all elements are there, so nobody sleeps.
  private static func batch(
    _ context: inout RaceContext, _ count: Int, _ census: Census
  ) -> Figures.Tally {
    let channel = Channel<Tracked>()
    let subscriptions = (0..<2).map { _ in channel.outlet.subscribe() }
    for number in 0..<count { channel.send(Tracked(number, in: census)) }
    let rendezvous = Rendezvous(seed: context.random.next())
    let executors = (SteppedExecutor(), SteppedExecutor())
    func taker(_ side: Rendezvous.Side, _ executor: SteppedExecutor) -> Task<Void, Never> {
      let subscription = subscriptions[side == .here ? 0 : 1]
      return Task(executorPreference: executor) {
        let iterator = subscription.makeAsyncIterator()
        for number in 0..<count {
          rendezvous.begin(side)
          let taken = await iterator.next()?.number
          rendezvous.end(side)
          if taken != number { fail("got \(text(taken)) instead of element \(number)") }
        }
      }
    }
    let tasks = (taker(.here, executors.0), taker(.there, executors.1))
    _ = context.both(1) { _ in
      _ = executors.0.run(atMost: 0) { true }
    } against: { _ in
      _ = executors.1.run(atMost: 0) { true }
    }
    if census.count != 0 { fail("\(census.count) elements are alive that both have taken") }
    blocking { _ = await (tasks.0.value, tasks.1.value) }
    return Figures.Tally(tries: count, races: count - rendezvous.late)
  }

  private static func dropsAgainstTakes(
    _ context: inout RaceContext, _ count: Int, _ census: Census
  ) -> Figures.Tally {
    let backlog = context.random.number(1...70)
    let channels = (0..<count).map { _ in Channel<Tracked>() }
    let items = channels.map { Item($0.outlet.subscribe()) }
    let takers = channels.map { channel in
      let subscription = channel.outlet.subscribe()
      let executor = SteppedExecutor()
      return (executor, Task(executorPreference: executor) { await subscription.rest() })
    }
    for channel in channels {
      for number in 0..<backlog { channel.send(Tracked(number, in: census)) }
      channel.finish()
    }
    let tally = context.both(count) { index in
      items[index].subscription = nil
    } against: { index in
      _ = takers[index].0.run(atMost: 0) { true }
    }
    if census.count != 0 { fail("\(census.count) elements are alive that were taken or dropped") }
    blocking {
      for (_, task) in takers where await task.value != Array(0..<backlog) {
        fail("a taker got \(await task.value), not 0 to \(backlog - 1)")
      }
    }
    return tally
  }
}
