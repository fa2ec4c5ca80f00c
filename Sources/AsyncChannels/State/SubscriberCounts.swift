import Synchronization

/// What counts its subscribers: a ``Channel``, an ``Output`` or a ``CurrentValue``.
public protocol SubscriberCounting: Sendable {
  /// How many subscriptions there are, as state.
  var subscriberCounts: StateOutlet<Int> { get }
}

extension Channel: SubscriberCounting {
  /// How many subscriptions there are, as state: for an owner that works only while somebody listens, or
  /// shows how many do.
  ///
  /// ```swift
  /// for await count in readings.subscriberCounts { sensor.isOn = count > 0 }
  /// ```
  ///
  /// Following it gives the count there is, and each later one: a subscription that comes and goes gives
  /// two. A change is published before the `subscribe()` that makes it returns. It becomes zero and ends
  /// when the channel is finished or gone, and does not keep it alive.
  ///
  /// Before it is asked for it costs nothing. Afterwards a send costs the same, and subscribing and
  /// leaving each cost one write of a ``CurrentValue`` more. To run something meanwhile, see
  /// `whileSubscribed(lingering:clock:_:)`.
  public var subscriberCounts: StateOutlet<Int> { log.subscriberCounts }
}

extension Output: SubscriberCounting {
  /// The same as ``Channel/subscriberCounts``.
  public var subscriberCounts: StateOutlet<Int> { channel.subscriberCounts }
}

extension CurrentValue: SubscriberCounting {
  /// How many subscriptions there are, as ``Channel/subscriberCounts`` tells; those to states that are
  /// derived from this one are among them.
  public var subscriberCounts: StateOutlet<Int> { log.subscriberCounts }
}

extension BroadcastLogBase {
  fileprivate final var subscriberCounts: StateOutlet<Int> {
    observer { SubscriberCounts() }.count.outlet
  }
}

/// The number of a log's subscribers as state.
///
/// The log stores each change in it under its own lock, so that none is missed and the order is that of
/// the changes. This is the only place where two locks of logs are held, always in this order.
private final class SubscriberCounts: LogObserver {
  let count = CurrentValue(0)
  private let known = Locked(0)

  var followsElements: Bool { false }

  func note(_ event: LogEvent) -> AfterLock? {
    switch event {
    case .attached(let log):
      let after = store(log.subscriberCount)
      return log.isFinished ? .both(after, end) : after
    case .subscribed(_, _, _, let count), .left(_, let count): return store(count)
    case .finished: return .both(store(0), end)
    default: return nil
    }
  }

  private var end: AfterLock { AfterLock { [count] in count.finish() } }

  private func store(_ count: Int) -> AfterLock? {
    guard known.withLock({ exchange(&$0, with: count) }) != count else { return nil }
    var evicted = Evicted<Int>()
    let log = self.count.log
    var (subscribers, wake) = log.appendIfPlain(count, replayed: true, evicting: &evicted)
    if subscribers == nil {
      // Observed. Its words are known: describing it would be user's code, with a lock held.
      (_, wake) = log.append(count, noting: SendNotes(inWords: "\(count)"), evicting: &evicted)
    }
    return AfterLock { [self, wake] in self.count.publish(wake, to: 1) }
  }
}
