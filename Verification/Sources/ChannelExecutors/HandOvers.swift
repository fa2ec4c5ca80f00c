import AsyncChannels
import Proof

/// Two consumers of one subscription, the second while the first is anywhere: each element must be
/// with one of them, in order.
enum HandOvers {
  /// Where a consumer runs.
  private enum Place: CaseIterable {
    case pool, mainActor, otherActor
  }

  static func play(rounds: Int) async {
    let activity = Activity(0)
    for round in 0..<rounds {
      activity.note("handing over in round", round)
      await play(round)
    }
  }

  private static func play(_ round: Int) async {
    let channel = Channel<Int>()
    let subscription = subscribe(to: channel.outlet, as: round)
    let places = Place.allCases
    let first = consumer(of: subscription, at: places[round % 3])
    await giveWay(round % 17)
    channel.send(0)
    await giveWay(round % 13)
    if !round.isMultiple(of: 4) { first.cancel() }
    let second = consumer(of: subscription, at: places[round / 3 % 3])
    // A consumer that is displaced must have asked before: one that asks later displaces.
    if round.isMultiple(of: 4) { await giveWay(round % 11) }
    channel.send(1)
    channel.send(2)
    channel.finish()
    let taken = (await first.value, await second.value)
    let isInOrder = [taken.0, taken.1].allSatisfy { $0 == $0.sorted() }
    guard isInOrder, (taken.0 + taken.1).sorted() == [0, 1, 2] else {
      fail("in round \(round) the first got \(taken.0), the second \(taken.1)")
    }
  }

  private static func subscribe(to outlet: Outlet<Int>, as round: Int) -> Subscription<Int> {
    switch round / 9 % 3 {
    case 0: outlet.subscribe()
    case 1: outlet.subscribe(buffering: .bufferingNewest(10))
    default: outlet.map { $0 }.subscribe()
    }
  }

  private static func consumer(
    of subscription: Subscription<Int>, at place: Place
  ) -> Task<[Int], Never> {
    switch place {
    case .pool: Task.detached { await consume(subscription) }
    case .mainActor: Task { @MainActor in await consume(subscription) }
    case .otherActor: Task.detached { await Consumer().consume(subscription) }
    }
  }

  private actor Consumer {
    func consume(_ subscription: Subscription<Int>) async -> [Int] {
      await HandOvers.consume(subscription)
    }
  }

  private static func consume(_ subscription: Subscription<Int>) async -> [Int] {
    var taken: [Int] = []
    for await number in subscription { taken.append(number) }
    return taken
  }
}

func giveWay(_ times: Int) async {
  for _ in 0..<times { await Task.yield() }
}
