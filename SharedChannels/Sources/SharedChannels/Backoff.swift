/// The pauses between tries: longer and longer, to two seconds, and not the same on all machines.
struct Backoff {
  private var pause = Duration.milliseconds(50)

  mutating func next() -> Duration {
    pause = Swift.min(pause * 2, .seconds(2))
    return pause * Double.random(in: 0.5...1)
  }
}
