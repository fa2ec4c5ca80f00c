/// The pauses between tries: longer and longer, to two seconds, and not the same for all servers.
struct Backoff {
  private var pause = Duration.milliseconds(100)
  private(set) var tries = 0

  /// Whether the try that failed is worth a line in the log: the first, second, fourth, eighth, …
  var isNews: Bool { tries.nonzeroBitCount == 1 }

  mutating func next() -> Duration {
    tries += 1
    pause = Swift.min(pause * 2, .seconds(2))
    return pause * Double.random(in: 0.5...1)
  }
}
