import AsyncChannels
import Proof
import Synchronization

/// What the producer and its consumers know of each other.
final class Progress: Sendable {
  private let sentCount = Level()
  private let catchingUp = Level()
  private let firstFailure = Mutex<BoundBroken?>(nil)

  var sent: Int {
    get { sentCount.value }
    set { sentCount.value = newValue }
  }

  /// Whether the slow may be fast.
  var mayCatchUp: Bool {
    get { catchingUp.value == 1 }
    set { catchingUp.value = newValue ? 1 : 0 }
  }

  /// What a consumer found broken first, for a producer that waits for it.
  var failure: BoundBroken? {
    get { firstFailure.withLock { $0 } }
    set { firstFailure.withLock { $0 = $0 ?? newValue } }
  }
}

/// Takes what is sent, at its pace, and checks that nothing is missing, doubled or out of order.
final class Consumer: Sendable {
  enum Pace {
    /// As fast as it can.
    case full
    /// One for each eight that are sent, until it may catch up.
    case lagging
    /// A hundred at a time, until it may catch up.
    case napping
  }

  let name: String
  private let subscription: Subscription<Tracked>
  private let progress: Progress
  private let pace: Pace
  private let takenCount = Level()

  init(_ name: String, _ subscription: Subscription<Tracked>, _ progress: Progress, pace: Pace) {
    self.name = name
    self.subscription = subscription
    self.progress = progress
    self.pace = pace
  }

  var taken: Int { takenCount.value }
  var dropped: Int { subscription.droppedCount }
  var backlog: Int { progress.sent - taken - dropped }

  func run() async throws {
    do {
      try await consume()
    } catch let failure as BoundBroken {
      progress.failure = failure
      throw failure
    }
  }

  /// After the end.
  func checkTotal() throws(BoundBroken) {
    try BoundBroken.unless(
      backlog == 0,
      "\(name) took \(taken) and dropped \(dropped) of \(progress.sent)")
  }

  private func consume() async throws {
    var next = 0
    var count = 0
    for await element in subscription {
      let number = element.number
      let isExpected = pace == .napping ? number >= next : number == next
      try BoundBroken.unless(isExpected, "\(name) got \(number) instead of \(next)")
      next = number + 1
      count += 1
      takenCount.value = count
      if pace != .full, count.isMultiple(of: 100) { try await slowDown(after: count) }
    }
  }

  private func slowDown(after count: Int) async throws {
    switch pace {
    case .full: break
    case .napping: if !progress.mayCatchUp { try await Task.sleep(for: .milliseconds(1)) }
    case .lagging:
      while !progress.mayCatchUp, count * 8 > progress.sent {
        try await Task.sleep(for: .milliseconds(1))
      }
    }
  }
}
