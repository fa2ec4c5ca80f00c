/// How much work is done: all, or as little as shows that it can be done.
struct Scale: Sendable {
  let isQuick: Bool

  /// So many that there are about this many deliveries in a round.
  func elements(_ subscribers: Int, deliveries: Int) -> Range<Int> {
    0..<count(max(20, deliveries / subscribers))
  }

  /// How many threads compute beside a loaded workload.
  static let busyThreads = [0, 1, 2, 6, 12]

  /// For how long a loaded workload is measured in a round. Beside busy threads, how long a number of
  /// steps takes is not known before.
  func duration(_ full: Duration) -> Duration {
    isQuick ? full / 20 : full
  }

  func count(_ full: Int) -> Int {
    isQuick ? max(10, full / 100) : full
  }
}
