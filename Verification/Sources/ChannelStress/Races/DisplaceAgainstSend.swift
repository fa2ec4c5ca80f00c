import AsyncChannels
import Proof

/// A consumer that waits is displaced while something is sent to it, and it wakes.
///
/// One of the two gets the element, and the displaced one nothing else.
enum DisplaceAgainstSend {
  private final class Consumer: Sendable {
    private let executor = SteppedExecutor()
    /// What it got, once it has ended.
    private let taken = Monitor<Int??>(nil)

    init(of subscription: Subscription<Tracked>) {
      Task(executorPreference: executor) {
        let number = await subscription.next()?.number
        self.taken.withLock { $0 = .some(number) }
      }
    }

    /// Runs what there is to run.
    func step() {
      _ = executor.run(atMost: 0) { true }
    }

    func result() -> Int? {
      if taken.withLock({ $0 }) == nil {
        _ = executor.run(atMost: 10) { taken.withLock { $0 } != nil }
      }
      guard let result = taken.withLock({ $0 }) else { fail("a consumer sleeps on") }
      return result
    }
  }

  private final class Item: Sendable {
    let channel: Channel<Tracked>
    /// Made before, so that the lane has no more to do than to send it.
    let element: Tracked
    let older: Consumer
    let newer: Consumer

    init(_ channel: Channel<Tracked>, _ element: Tracked) {
      self.channel = channel
      self.element = element
      let subscription = channel.outlet.subscribe()
      older = Consumer(of: subscription)
      newer = Consumer(of: subscription)
      older.step()
    }
  }

  static func race(_ count: Int, in context: inout RaceContext) -> Figures.Tally {
    context.race(count, "displaces against sends") { context, count, census in
      let items = (0..<count).map { Item(context.channel(), Tracked(2 * $0, in: census)) }
      var tally = context.both(count) { index in
        items[index].newer.step()
      } against: { index in
        items[index].channel.send(items[index].element)
        items[index].older.step()
      }
      for (index, item) in items.enumerated() {
        item.channel.send(Tracked(2 * index + 1, in: census))
        let (older, newer) = (item.older.result(), item.newer.result())
        let expected = older == nil ? 2 * index : 2 * index + 1
        if newer != expected || older ?? 2 * index != 2 * index {
          fail("sent \(2 * index) and the next; got \(text(older)) and \(text(newer))")
        }
        if older == nil { tally.firstWon += 1 }
      }
      return tally
    }
  }
}
