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
  /// ``whileSubscribed(lingering:clock:isolation:_:)``.
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
/// Each change is noted under the log's lock, so that none is missed and the order is that of the changes, and written
/// when that is released: whoever comes first writes all that was noted, in order, and others wait until it has.
private final class SubscriberCounts: LogObserver {
  let count = CurrentValue(0)
  private let noted = Locked([Int]())
  private let writing = Locked(())

  var followsElements: Bool { false }

  func note(_ event: LogEvent) -> AfterLock? {
    switch event {
    case .attached(let log):
      .both(note(log.subscriberCount + log.followedDerived), log.isFinished ? end : nil)
    case .subscribed(_, _, _, let count), .left(_, let count), .counted(let count): note(count)
    case .finished: .both(note(0), end)
    default: nil
    }
  }

  private var end: AfterLock { AfterLock { [count] in count.finish() } }

  private func note(_ count: Int) -> AfterLock {
    noted.withLock { $0.append(count) }
    return AfterLock { [self] in
      for change in writing.withLock({ _ in write() }) {
        self.count.publish(change.wake, to: change.subscribers, change.rest)
      }
    }
  }

  /// Its words are known: describing it would be user's code, with a lock held.
  private func write() -> [BroadcastLog<Int>.Written] {
    let log = count.log
    return noted.withLock { exchange(&$0, with: []) }.compactMap { next in
      if next == log.newest { return nil }
      var evicted = Evicted<Int>()
      return log.write(next, noting: SendNotes(inWords: "\(next)"), evicting: &evicted)
    }
  }
}
