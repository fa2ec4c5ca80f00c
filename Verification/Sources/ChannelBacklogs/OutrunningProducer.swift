import AsyncChannels
import Proof

/// A producer that is faster than its consumers, in rounds: it sends without a pause until the
/// backlogs are as large as is allowed, and goes on when they are gone.
///
/// In each round there are an unbounded consumer that is as fast as it can be, one that is slow, two
/// bounded ones that are slow, and a subscription that is never consumed and dropped in the end.
struct OutrunningProducer: Measure {
  static let name = "outrunning-producer"
  static let summary = "backlogs grow, are caught up with or dropped, and the memory comes back"

  /// What a tracked element takes in a backlog, about: an allocation, a slot of the log and the
  /// slot's count.
  private static let bytesPerElement = 48 + 8 + 4

  private let duration: Duration
  private let perRound: Int
  private let census = Census()
  private let channel = Channel<Tracked>()
  private let progress = Progress()

  init(_ options: Options) {
    duration = .seconds(options.seconds)
    perRound = max(10_000, (options.megabytes << 20) / Self.bytesPerElement)
  }

  func run() async throws -> String {
    let consumers = [
      Consumer("the fast one", channel.outlet.subscribe(), progress, pace: .full),
      Consumer("the slow one", channel.outlet.subscribe(), progress, pace: .lagging),
      Consumer(
        "the one with the newest", channel.outlet.subscribe(buffering: .bufferingNewest(100)),
        progress, pace: .napping),
      Consumer(
        "the one with the oldest", channel.outlet.subscribe(buffering: .bufferingOldest(100)),
        progress, pace: .napping),
    ]
    return try await withThrowingTaskGroup(of: Void.self) { group in
      for consumer in consumers { group.addTask { try await consumer.run() } }
      // Also when something is broken: a group waits for its tasks.
      defer {
        progress.mayCatchUp = true
        channel.finish()
      }
      let figures = try await rounds(consumers)
      channel.finish()
      try await group.waitForAll()
      for consumer in consumers { try consumer.checkTotal() }
      return figures
    }
  }

  private func rounds(_ consumers: [Consumer]) async throws -> String {
    let begin = ContinuousClock.now
    let atRest = Resident.held
    try await round(consumers)
    // With what the process needs for itself at full load.
    let before = Resident.held
    try BoundBroken.unless(
      before - atRest <= 16 << 20,
      "\((before - atRest).mebibytes) did not come back after the first round: 16 MiB are allowed")
    var (count, peak, left, sending) = (1, 0, before, Duration.zero)
    repeat {
      let (most, time) = try await round(consumers)
      (count, peak, sending) = (count + 1, max(peak, most), sending + time)
      left = Resident.held
      try BoundBroken.unless(
        left - before <= 8 << 20,
        "\((left - before).mebibytes) did not come back after round \(count): 8 MiB are allowed")
    } while ContinuousClock.now - begin < duration
    let dropped = consumers.map { "\($0.dropped)" }.joined(separator: ", ")
    let rate = Double(perRound * (count - 1)) / (sending / .seconds(1)) / 1_000_000
    return """
      \(progress.sent) elements in \(count) rounds, \((rate * 10).rounded() / 10) million a second; \
      dropped \(dropped); \(before.mebibytes), \(peak.mebibytes) with the backlogs, \
      \((left - before) / 1024) KiB more without; \(begin.elapsedSeconds) s
      """
  }

  /// Returns the memory with all backlogs at their largest, and how long the sending took.
  @discardableResult
  private func round(_ consumers: [Consumer]) async throws -> (peak: Int, sending: Duration) {
    let before = Resident.held
    var abandoned = Optional(channel.outlet.subscribe())
    progress.mayCatchUp = false
    let first = progress.sent
    let begin = ContinuousClock.now
    for number in first..<first + perRound {
      channel.send(Tracked(number, in: census))
      progress.sent = number + 1
    }
    let sending = ContinuousClock.now - begin
    let peak = Resident.now
    try BoundBroken.unless(
      census.count == perRound,
      "a subscription that is not consumed holds \(census.count) elements, not \(perRound)")
    try BoundBroken.unless(
      peak - before > perRound * 32,
      "\(perRound) elements are said to take \((peak - before).mebibytes): this measures nothing")

    // What the slow one has taken was owed to this subscription only.
    let backlog = progress.sent - consumers[1].taken
    try BoundBroken.unless(
      backlog > perRound / 2, "the slow consumer has only \(backlog) elements of \(perRound) to go")
    withExtendedLifetime(abandoned) {}
    abandoned = nil
    let others = consumers[0].backlog
    try BoundBroken.unless(
      census.count <= max(backlog, others) + 300,
      "\(census.count) elements are held where only \(max(backlog, others)) are owed")

    progress.mayCatchUp = true
    for consumer in consumers {
      try await wait("\(consumer.name) has not caught up") { consumer.backlog == 0 }
    }
    try await wait("\(census.count) elements were not released") { census.count == 0 }
    return (peak, sending)
  }

  private func wait(_ problem: @autoclosure () -> String, until condition: () -> Bool) async throws
  {
    let deadline = ContinuousClock.now + .seconds(120)
    while !condition() {
      if let failure = progress.failure { throw failure }
      try BoundBroken.unless(ContinuousClock.now < deadline, "\(problem()) after 120 s")
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}
