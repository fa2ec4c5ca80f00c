import AsyncChannels

/// Subscribing, waiting, cancelling and dropping, with nothing sent, leaves nothing behind (C37).
struct SubscribeCycles: Measure {
  static let name = "subscribe-cycles"
  static let summary = "subscribing, waiting, cancelling and dropping leaves memory as it was"

  private let cycles: Int
  private let channel = Channel<Int>()
  /// The tasks run here, and so it is known when one waits: it is not done, and there is nothing
  /// left to run.
  private let executor = ManualTaskExecutor()

  init(_ options: Options) {
    cycles = options.cycles
  }

  func run() async throws -> String {
    let clock = ContinuousClock.now
    let kept = channel.outlet.subscribe()
    try run(cycles / 10, beside: kept)
    let before = Resident.held
    try run(cycles, beside: kept)
    let grown = Resident.held - before
    try BoundBroken.unless(
      grown <= 1 << 20,
      "memory grew by \(grown.mebibytes) in \(cycles) cycles: 1 MiB is allowed")
    return """
      \(cycles) cycles, on subscriptions of their own and on one that stays; \
      \(before.mebibytes) before, \(grown / 1024) KiB more after; \(clock.elapsedSeconds) s
      """
  }

  private func run(_ count: Int, beside kept: Subscription<Int>) throws {
    for number in 0..<count {
      switch number % 4 {
      case 0: try cycle(channel.outlet.subscribe(buffering: .bufferingNewest(8)))
      // It drops one doorbell after the other.
      case 1: try cycle(kept)
      default: try cycle(channel.outlet.subscribe())
      }
    }
    try BoundBroken.unless(
      channel.subscriberCount == 1,
      "one subscription is left, and subscriberCount is \(channel.subscriberCount)")
  }

  private func cycle(_ subscription: Subscription<Int>) throws {
    let isDone = Level()
    let task = Task(executorPreference: executor) {
      for await _ in subscription {}
      isDone.value = 1
    }
    executor.drain()
    try BoundBroken.unless(isDone.value == 0, "a consumer did not wait, though nothing was sent")
    task.cancel()
    executor.drain()
    try BoundBroken.unless(isDone.value == 1, "a cancelled consumer did not end")
  }
}
