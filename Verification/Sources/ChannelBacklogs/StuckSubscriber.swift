import AsyncChannels
import Proof

/// A bounded subscriber that is stuck holds its `n` elements and nothing else, however much is sent.
struct StuckSubscriber: Measure {
  static let name = "stuck-subscriber"
  static let summary = "stuck bounded subscribers hold their limit, and memory stays flat"

  private let sends: Int
  private let limit = 1000

  init(_ options: Options) {
    // A tenth is the warm-up, and is to fill the queues.
    sends = max(options.sends, 10 * limit)
  }

  func run() async throws -> String {
    let clock = ContinuousClock.now
    let census = Census()
    let channel = Channel<Tracked>()
    let newest = channel.outlet.subscribe(buffering: .bufferingNewest(limit))
    let oldest = channel.outlet.subscribe(buffering: .bufferingOldest(limit))
    let warmUp = sends / 10
    for number in 0..<warmUp { channel.send(Tracked(number, in: census)) }
    let before = Resident.now
    var peak = before
    for number in warmUp..<sends {
      channel.send(Tracked(number, in: census))
      guard number % max(1, sends / 1000) == 0 else { continue }
      peak = max(peak, Resident.now)
      try BoundBroken.unless(
        census.count == 2 * limit,
        "two stuck subscribers of \(limit) hold \(census.count) elements after \(number + 1)")
    }
    peak = max(peak, Resident.now)
    try BoundBroken.unless(
      peak - before <= 1 << 20,
      "memory grew by \((peak - before).mebibytes) in \(sends - warmUp) sends: 1 MiB is allowed")
    let dropped = sends - limit
    for subscription in [newest, oldest] {
      try BoundBroken.unless(
        subscription.droppedCount == dropped,
        "\(dropped) elements were dropped, and droppedCount is \(subscription.droppedCount)")
    }
    channel.finish()
    try await check(newest, holds: dropped..<sends)
    try await check(oldest, holds: 0..<limit)
    try BoundBroken.unless(census.count == 0, "\(census.count) elements were not released")
    return """
      \(sends) sends past two that hold \(limit) each, \(dropped) dropped of each; \
      \(before.mebibytes), and at most \((peak - before).mebibytes) more; \
      \(clock.elapsedSeconds) s
      """
  }

  private func check(_ subscription: Subscription<Tracked>, holds expected: Range<Int>) async throws
  {
    var next = expected.lowerBound
    for await element in subscription {
      try BoundBroken.unless(element.number == next, "found \(element.number) instead of \(next)")
      next += 1
    }
    try BoundBroken.unless(
      next == expected.upperBound, "the last was \(next - 1) and not \(expected.upperBound - 1)")
  }
}

extension ContinuousClock.Instant {
  var elapsedSeconds: Double {
    ((ContinuousClock.now - self) / .milliseconds(100)).rounded() / 10
  }
}
