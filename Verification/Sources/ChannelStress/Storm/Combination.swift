import AsyncChannels
import Proof

/// Several states that are written by several tasks simultaneously, and a relay of consumers of what
/// is combined of them, who are cancelled or displaced.
///
/// What they see are moments of the states, each at most once. No part is ever older than before, and in the end all
/// of them are the last.
enum Combination {
  private static let states = 3
  private static let changes = 400

  /// Returns how many combinations were delivered.
  static func rage(_ context: inout RaceContext) -> Int {
    context.activity.note("combines")
    let census = Census()
    let relays = context.random.number(0...6)
    let seeds = (0..<relays).map { _ in context.random.next() }
    let delivered = blocking { await run(seeds, census) }
    if !eventually(within: 10, { census.count == 0 }) {
      fail("\(census.count) values of states are alive after all was dropped")
    }
    return delivered
  }

  private static func run(_ seeds: [UInt64], _ census: Census) async -> Int {
    let sources = (0..<states).map { _ in CurrentValue(Tracked(0, in: census)) }
    let combined = StateOutlet.combine(
      sources[0].outlet, sources[1].outlet.map(\.number), sources[2].outlet)
    let subscription = combined.map { [$0.number, $1, $2.number] }.subscribe()
    let writers = Tasks.start {
      await withDiscardingTaskGroup { group in
        for source in sources {
          group.addTask {
            for number in 1...changes {
              source.value = Tracked(number, in: census)
              if number.isMultiple(of: 64) { await Task.yield() }
            }
            source.finish()
          }
        }
      }
    }
    var takes: [[[Int]]] = []
    for seed in seeds {
      var random = SplitMix64(seed: seed)
      let isolation = IsolationPool.next()
      let consumer = Tasks.start { await takeAll(of: subscription, in: isolation) }
      for _ in 0..<random.number(0...30) { await Task.yield() }
      if random.oneIn(2) {
        consumer.cancel()
      } else if let next = await subscription.next() {
        takes.append([next])
        // It may have begun after that one asked, and then waits.
        consumer.cancel()
      }
      takes.append(await consumer.value)
    }
    takes.append(await takeAll(of: subscription, in: nil))
    await writers.value
    check(takes)
    return takes.reduce(0) { $0 + $1.count }
  }

  private static func takeAll(
    of subscription: Subscription<[Int]>, in isolation: isolated (any Actor)?
  ) async -> [[Int]] {
    var taken: [[Int]] = []
    for await numbers in subscription { taken.append(numbers) }
    return taken
  }

  private static func check(_ takes: [[[Int]]]) {
    // Each change makes one number greater by one: the sum tells the order, and of two moments all parts agree.
    let all = takes.joined().sorted { $0.reduce(0, +) < $1.reduce(0, +) }
    for (before, after) in zip(all, all.dropFirst())
    where before == after || zip(before, after).contains(where: { $0 > $1 }) {
      fail("both \(before) and \(after) were taken")
    }
    let end = [Int](repeating: changes, count: states)
    if all.last != end { fail("the last that was taken is \(all.last ?? []), not \(end)") }
    for taken in takes where taken != taken.sorted(by: { $0.reduce(0, +) < $1.reduce(0, +) }) {
      fail("a consumer got an older combination after a newer one")
    }
  }
}
