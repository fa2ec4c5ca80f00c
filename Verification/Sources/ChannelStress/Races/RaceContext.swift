import AsyncChannels
import Proof
import Synchronization

/// What a round needs: chance, the two threads that race, and the signs of life.
struct RaceContext {
  let lanes: Lanes
  let activity = Activity(0)
  var random: SplitMix64

  init(lanes: Lanes, seed: UInt64) {
    self.lanes = lanes
    random = SplitMix64(seed: seed)
    activity.begin(seed: seed)
  }

  /// Races `count` times, in batches of things made anew, each of which `batch` sets up, races and
  /// checks. Then no element of the batch may be alive.
  mutating func race(
    _ count: Int, _ name: StaticString,
    _ batch: (inout RaceContext, Int, Census) -> Figures.Tally
  ) -> Figures.Tally {
    var tally = Figures.Tally()
    while tally.tries < count {
      let census = Census()
      activity.note(name, tally.tries)
      tally += batch(&self, min(128, count - tally.tries), census)
      // A task that has ended lets go of what it had a moment later.
      if !eventually(within: 10, { census.count == 0 }) {
        fail("\(name): \(census.count) elements are alive after all was dropped")
      }
    }
    return tally
  }

  /// Both at the same instant, for each index. Returns how many times that came about.
  mutating func both(
    _ count: Int, _ first: (Int) -> Void, against second: @escaping @Sendable (Int) -> Void
  ) -> Figures.Tally {
    let other = Activity(1)
    let races = lanes.race(count, seed: random.next(), first) { index in
      other.note("is the second of two that race", index)
      second(index)
    }
    other.end()
    return Figures.Tally(tries: count, races: races)
  }

  /// A channel whose subscribers drop nothing of the few elements that a race sends.
  mutating func channel(replaying count: Int? = nil) -> Channel<Tracked> {
    let policy: BufferingPolicy = random.pick([
      .unbounded, .unbounded, .bufferingNewest(8), .bufferingOldest(8),
    ])
    return Channel(replaying: count ?? random.number(0...1), buffering: policy)
  }

  /// Lets tasks that were just made begin, mostly: a race with one that has not is one as well.
  mutating func settle(_ begun: Begun, _ count: Int) {
    guard !random.oneIn(4) else { return }
    _ = eventually(within: 10) { begun.count >= count }
  }
}

/// How many tasks have begun.
final class Begun: Sendable {
  private let begun = Atomic(0)

  var count: Int { begun.load(ordering: .acquiring) }

  func add() {
    begun.add(1, ordering: .releasing)
  }
}

/// A task that takes one element and gives its number, or nil at the end or if it is cancelled.
typealias Take = Task<Int?, Never>

extension Subscription<Tracked> {
  func take(_ begun: Begun? = nil) -> Take {
    Tasks.start {
      begun?.add()
      return await self.next(isolation: IsolationPool.next())?.number
    }
  }

  /// The numbers of all that is left, up to the end.
  func rest() async -> [Int] {
    var numbers: [Int] = []
    for await element in self { numbers.append(element.number) }
    return numbers
  }
}

/// What the cancelled consumer and the next got; the lanes must have started both.
func numbers(of first: Take, _ second: Take?) async -> (first: Int?, second: Int?) {
  guard let second else { fail("a lane left something out") }
  return (await first.value, await second.value)
}

func text(_ number: Int?) -> String {
  number.map(String.init) ?? "nothing"
}
