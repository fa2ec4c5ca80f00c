import AsyncChannels

/// How often, and in which orders, ``withTestTime(orders:stepLimit:fileID:line:_:)`` runs its closure. Use
/// ``random(_:seed:)`` to find code that relies on one order.
public struct TestOrders: Sendable {
  /// A seed for each run; nil for the order in which jobs become ready.
  let seeds: [UInt64?]

  /// One run, in which jobs run in the order in which they became ready.
  public static let asReady = TestOrders(seeds: [nil])

  /// One run, in the order of a seed that a failure has named.
  public static func only(_ seed: UInt64) -> TestOrders { TestOrders(seeds: [seed]) }

  /// Several runs, each in another order. Any job that is ready may be the next. Only the main actor's jobs
  /// keep their order among themselves. The runtime can produce each of these orders.
  ///
  /// - Parameters:
  ///   - count: The number of runs. Traps if it is less than one.
  ///   - seed: Decides the orders. The runs have this seed and those after it, so a run that failed with seed 17
  ///     is repeated with `.random(1, seed: 17)`.
  public static func random(_ count: Int, seed: UInt64) -> TestOrders {
    if count < 1 {
      Misuse.trap("withTestTime cannot try \(count) orders: it tries at least 1.")
    }
    return TestOrders(seeds: (0..<UInt64(count)).map { seed &+ $0 })
  }
}
