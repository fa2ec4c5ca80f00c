extension Channel {
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

extension Output {
  /// The same as ``Channel/subscriberCounts``.
  public var subscriberCounts: StateOutlet<Int> { channel.subscriberCounts }
}

extension CurrentValue {
  /// How many subscriptions there are, as ``Channel/subscriberCounts`` tells; those to states that are
  /// derived from this one are among them.
  public var subscriberCounts: StateOutlet<Int> { log.subscriberCounts }
}

extension BroadcastLogBase {
  fileprivate final var subscriberCounts: StateOutlet<Int> {
    follow { SubscriberCounts($0) }.count.outlet
  }
}

/// The number of a log's subscribers as state.
///
/// The log stores each change in it under its own lock, so that none is missed and the order is that of
/// the changes. This is the only place where two locks of logs are held, always in this order.
private final class SubscriberCounts: CountFollower {
  let count: CurrentValue<Int>

  init(_ count: Int) {
    self.count = CurrentValue(count)
  }

  func note(_ count: Int) -> Wake {
    var evicted = Evicted<Int>()
    return self.count.log.append(count, replayed: true, evicting: &evicted).wake
  }

  func tell(_ wake: Wake) {
    count.publish(wake, to: 1)
  }

  func finish() {
    count.finish()
  }
}
