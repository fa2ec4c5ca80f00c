/// Work that is done only while somebody listens.
///
/// ```swift
/// func run() async {
///   await _positions.whileSubscribed(lingering: .seconds(5)) {
///     for await position in self.gps.positions { self._positions.send(position) }
///   }
/// }
/// ```
///
/// The body runs as a child task of the caller: it is called when there is a subscriber, cancelled when
/// the last has been gone for as long as it lingers, and called again with the next. So a view that is
/// replaced, or turned, does not stop it. There is one call at a time: the next begins when the one that
/// was cancelled has returned. A body that returns by itself is called again only with the first
/// subscriber after a time without any that was longer than it lingers.
///
/// It returns when the owner has finished, or is gone, or the caller's task is cancelled, and the body
/// has returned; both cancel the body. While there is nobody, it costs nothing.
extension Channel {
  /// Runs a closure while somebody is subscribed.
  ///
  /// - Parameters:
  ///   - duration: For how long the body goes on when the last subscriber has left; at most a year; zero
  ///     if negative.
  ///   - clock: What measures that. Its sleep has to end when its task is cancelled.
  ///   - isolation: The caller's, which is found without being given.
  ///   - body: Called in the isolation in which it was made.
  public func whileSubscribed(
    lingering duration: Duration = .zero, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable () async -> Void
  ) async {
    await subscriberCounts.whilePositive(lingering: duration, clock: clock, body)
  }
}

extension Output {
  /// Runs a closure while somebody is subscribed, as ``Channel`` does.
  public func whileSubscribed(
    lingering duration: Duration = .zero, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable () async -> Void
  ) async {
    await subscriberCounts.whilePositive(lingering: duration, clock: clock, body)
  }
}

extension CurrentValue {
  /// Runs a closure while somebody follows the state, as ``Channel`` does. Reading it does not count.
  public func whileSubscribed(
    lingering duration: Duration = .zero, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable () async -> Void
  ) async {
    await subscriberCounts.whilePositive(lingering: duration, clock: clock, body)
  }
}

extension StateOutlet<Int> {
  fileprivate func whilePositive(
    lingering duration: Duration, clock: some Clock<Duration>,
    isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @isolated(any) @Sendable () async -> Void
  ) async {
    let counts = subscribe()
    while var count = await counts.first(where: { $0 > 0 }) {
      // The subscribers that came may have left, and others come, while the body before was unwinding:
      // only the newest count is of now.
      while let newer = counts.takeNow().element { count = newer }
      if count == 0 { continue }
      await withDiscardingTaskGroup { group in
        group.addTask { await body() }
        repeat {
          // At the end there is neither a zero to wait for nor anybody to linger for.
          guard await counts.first(where: { $0 == 0 }) != nil else { break }
          // After a zero, the next count is that of somebody who came.
        } while await counts.next(
          as: counts.makeTicket(), by: clock.now.advanced(by: duration.countable), on: clock) != nil
        group.cancelAll()
      }
    }
  }
}

extension Subscription<Int> {
  fileprivate func first(
    where isWanted: (Int) -> Bool, isolation: isolated (any Actor)? = #isolation
  ) async -> Int? {
    while let count = await next() {
      if isWanted(count) { return count }
    }
    return nil
  }
}
