public import AsyncChannels

extension SubscriberCounting {
  /// Does work only while there are subscribers, such as reading a sensor.
  ///
  /// ```swift
  /// func run() async {
  ///   await _positions.whileSubscribed(lingering: .seconds(5)) {
  ///     for await position in self.gps.positions { self._positions.send(position) }
  ///   }
  /// }
  /// ```
  ///
  /// The body runs as a child task of the caller. It is called when there is a subscriber. It is cancelled when
  /// the last subscriber has been gone for the lingering time, and called again for the next subscriber. So
  /// replacing or rotating a view does not stop it. There is one call at a time: the next begins when the
  /// cancelled one has returned. A body that returns by itself is called again only for the first subscriber
  /// after a time without subscribers that was longer than the lingering time.
  ///
  /// When the owner has finished or is gone, or the caller's task is cancelled, the body is cancelled, and the
  /// call returns when the body has returned. Without a subscriber, it costs nothing. For a `CurrentValue`,
  /// subscribers are its followers: reading it does not count.
  ///
  /// - Parameters:
  ///   - duration: How long the body continues after the last subscriber has left: at most a year; a negative
  ///     duration counts as zero.
  ///   - clock: The clock that measures the lingering time. Its `sleep` must return when its task is
  ///     cancelled.
  ///   - isolation: The caller's isolation. Do not pass it.
  ///   - body: The work. It is called in the isolation in which it was made.
  @inlinable
  public func whileSubscribed(
    lingering duration: Duration = .zero, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable () async -> Void
  ) async {
    await subscriberCounts.whilePositive(lingering: duration, clock: clock, body)
  }
}

// For any integer, though it is an `Int` for all callers: this library would have a copy of nearly all that a
// subscription does for `Int` alone. The callers are in clients, which call the form for any type.
extension StateOutlet where Value: BinaryInteger {
  @usableFromInline
  func whilePositive(
    lingering duration: Duration, clock: some Clock<Duration>,
    isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @isolated(any) @Sendable () async -> Void
  ) async {
    let counts = subscribe()
    while var count = await counts.next() {
      // The subscribers that came may have left, and others come, while the body before was unwinding:
      // only the newest count is of now.
      while let newer = counts.takeNow().element { count = newer }
      if count == 0 { continue }
      await withDiscardingTaskGroup { group in
        group.addTask { await body() }
        // At the end there is neither a zero to wait for nor anybody to linger for.
        var last = Optional(count)
        while let count = last {
          // After a zero, the next count is that of somebody who came.
          last =
            count > 0
            ? await counts.next()
            : await counts.next(by: clock.now.advanced(by: duration.countable), on: clock)
        }
        group.cancelAll()
      }
    }
  }
}
