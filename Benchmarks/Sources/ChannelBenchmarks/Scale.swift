/// How much work is done: all, or as little as shows that it can be done.
struct Scale: Sendable {
  let isQuick: Bool

  /// So many that there are about this many deliveries in a round.
  func elements(_ subscribers: Int, deliveries: Int) -> Range<Int> {
    0..<count(max(20, deliveries / subscribers))
  }

  func count(_ full: Int) -> Int {
    isQuick ? max(10, full / 100) : full
  }
}
