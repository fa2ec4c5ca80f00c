import AsyncChannels
import Proof

// What subscribers do in a storm. Each gives its stays, with what it got.

/// Takes everything, up to the end or until its task is cancelled.
func takeAll(
  of subscription: Subscription<Tracked>, _ activity: Activity, in isolation: isolated (any Actor)?
) async -> [Identity] {
  var received: [Identity] = []
  for await element in subscription {
    if received.count & 31 == 0 { activity.note("takes", received.count) }
    received.append(Identity(code: element.number))
  }
  activity.note("was told that it ends", received.count)
  return received
}

/// Stays to the end.
struct Steady: Sendable {
  let place: (subscription: Subscription<Tracked>, stay: Stay)
  let activity: Activity

  func stay() async -> Stay {
    var stay = place.stay
    stay.takes = [await takeAll(of: place.subscription, activity, in: IsolationPool.next())]
    stay.dropped = place.subscription.droppedCount
    stay.lastsToTheEnd = true
    activity.end()
    return stay
  }
}

/// Stays to the end, in one task after the other: each is displaced by the next, cancelled or not, before
/// it has unwound. Which of several tasks asks last is not known; so each says what it took.
struct Relay: Sendable {
  let place: (subscription: Subscription<Tracked>, stay: Stay)
  let activity: Activity
  let seed: UInt64

  func stay() async -> (stay: Stay, handOvers: Int) {
    var random = SplitMix64(seed: seed)
    var runners: [Task<[Identity], Never>] = []
    let (subscription, activity) = (place.subscription, activity)
    let handOvers = random.number(1...60)
    let cancels = random.oneIn(2)
    let isolation = IsolationPool.next()
    for _ in 0..<handOvers {
      let runner = Tasks.start { await takeAll(of: subscription, activity, in: isolation) }
      for _ in 0..<random.pick([0, 1, 3, 20]) { await Task.yield() }
      if cancels || random.oneIn(4) { runner.cancel() }
      runners.append(runner)
    }
    var stay = place.stay
    for runner in runners { stay.takes.append(await runner.value) }
    // The last that asked may have been cancelled.
    stay.takes.append(await takeAll(of: subscription, activity, in: isolation))
    stay.dropped = subscription.droppedCount
    stay.lastsToTheEnd = true
    activity.end()
    return (stay, handOvers)
  }
}

/// Comes, takes some or nothing, and leaves, again and again.
struct Churner: Sendable {
  let shore: Shore
  let activity: Activity
  let seed: UInt64

  func stays() async -> [Stay] {
    var random = SplitMix64(seed: seed)
    var stays: [Stay] = []
    for _ in 0..<random.number(1...60) {
      let waits = random.pick([0, 1, 3, 20])
      activity.note("subscribes", stays.count)
      stays.append(await visit(Plan.policy(&random), waits: waits, takes: !random.oneIn(4)))
    }
    activity.end()
    return stays
  }

  private func visit(_ policy: BufferingPolicy, waits: Int, takes: Bool) async -> Stay {
    let (subscription, beginning) = shore.join(policy)
    let consumer =
      takes
      ? Tasks.start { await takeAll(of: subscription, activity, in: IsolationPool.next()) } : nil
    for _ in 0..<waits { await Task.yield() }
    consumer?.cancel()
    var stay = beginning
    stay.takes = [await consumer?.value ?? []]
    stay.dropped = subscription.droppedCount
    return stay
  }
}
