import AsyncChannels
import Foundation
import Proof

/// One channel, with several senders and many subscribers of all kinds, from its beginning to its
/// end.
struct Storm: Sendable {
  struct Figures: Sendable {
    var deliveries = 0
    var dropped = 0
    var subscriptions = 0
    var handOvers = 0

    static func += (sum: inout Figures, other: Figures) {
      sum.deliveries += other.deliveries
      sum.dropped += other.dropped
      sum.subscriptions += other.subscriptions
      sum.handOvers += other.handOvers
    }
  }

  private let plan: Plan
  private let seed: UInt64
  private let census = Census()

  static func rage(_ context: inout RaceContext) -> Figures {
    let storm = Storm(plan: Plan(&context.random), seed: context.random.next())
    context.activity.note("waits for the end of a storm")
    let figures = blocking { await storm.rage() }
    // A task that has ended lets go of what it had a moment later.
    if !eventually(within: 10, { storm.census.count == 0 }) {
      fail("\(storm.census.count) elements are alive after a storm")
    }
    return figures
  }

  private func rage() async -> Figures {
    var random = SplitMix64(seed: seed)
    var nextSlot = 2
    func activity() -> Activity {
      defer { nextSlot += 1 }
      return Activity(nextSlot)
    }
    var channel: Channel? = Channel<Tracked>(replaying: plan.replays)
    let shore = Shore(channel!, senders: plan.senders, census)

    // All of these take their places now, before anything is sent.
    let steady = plan.steady.map { Steady(place: shore.join($0), activity: activity()) }
    let relays = plan.relays.map {
      Relay(place: shore.join($0), activity: activity(), seed: random.next())
    }
    let stuck = plan.stuck.map { Steady(place: shore.join($0), activity: activity()) }

    let staying = steady.map { steady in Tasks.start { await steady.stay() } }
    let relaying = relays.map { relay in Tasks.start { await relay.stay() } }
    // A visitor that left is counted until its task has let go of it: one on each core at most.
    let leaving = min(plan.churners * 60, ProcessInfo.processInfo.activeProcessorCount)
    let counts = plan.permanent...plan.permanent + plan.churners + leaving
    let sending = (0..<plan.senders).map { sender in
      let (activity, chance) = (activity(), SplitMix64(seed: random.next()))
      return Tasks.start {
        await shore.send(plan.each, as: sender, to: counts, activity, chance)
      }
    }
    let churning = (0..<plan.churners).map { _ in
      let churner = Churner(shore: shore, activity: activity(), seed: random.next())
      return Tasks.start { await churner.stays() }
    }

    if let endsAfter = plan.endsAfter {
      while shore.begun < endsAfter { await Task.yield() }
    } else {
      for sender in sending { _ = await sender.value }
      for churner in churning { _ = await churner.value }
      await checkSubscriberCount(of: channel!)
    }
    shore.note(.ending)
    if plan.endsByDropping { channel = nil } else { channel?.finish() }
    shore.note(.ended)

    var stays: [Stay] = []
    var figures = Figures()
    for task in staying { stays.append(await task.value) }
    for task in relaying {
      let (stay, handOvers) = await task.value
      stays.append(stay)
      figures.handOvers += handOvers
    }
    for subscriber in stuck { stays.append(await subscriber.stay()) }
    for task in churning { stays += await task.value }
    var accepted: [Int] = []
    for task in sending { accepted.append(await task.value) }
    if let channel, channel.subscriberCount != 0 { fail("a finished channel has subscribers") }

    let order = Order(stays[0].received, accepted: accepted, replays: plan.replays)
    for stay in stays {
      order.check(stay)
      figures.deliveries += stay.received.count
      figures.dropped += stay.dropped
    }
    figures.subscriptions = stays.count
    return figures
  }

  /// Those who came and went may take a moment to be gone.
  private func checkSubscriberCount(of channel: Channel<Tracked>) async {
    let end = ContinuousClock.now + .seconds(10)
    while channel.subscriberCount != plan.permanent {
      if ContinuousClock.now > end {
        fail("\(channel.subscriberCount) subscribers, not \(plan.permanent)")
      }
      await Task.yield()
    }
  }
}
