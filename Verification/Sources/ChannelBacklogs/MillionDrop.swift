import AsyncChannels
import Foundation
import Proof
import Synchronization

/// Dropping what holds a million elements returns on a small stack and releases them all (C36).
struct MillionDrop: Measure {
  static let name = "million-drop"
  static let summary = "what holds a million elements is dropped on a 512 KiB stack"

  private typealias Holder = Channel<Tracked>

  private let count = 1_000_000
  private let stack = 512 << 10

  init(_ options: Options) {}

  func run() async throws -> String {
    let clock = ContinuousClock.now
    var longest = Duration.zero
    var before = 0
    // The first round is the warm-up.
    for round in 0..<3 {
      if round == 1 { before = Resident.held }
      for (name, make) in Self.backlogs {
        longest = max(longest, try drop(name, make))
      }
    }
    let grown = Resident.held - before
    try BoundBroken.unless(
      grown <= 1 << 20, "\(grown.mebibytes) did not come back: 1 MiB is allowed")
    return """
      \(Self.backlogs.count) kinds of \(count) elements, each on a stack of \(stack / 1024) KiB, \
      \(Int(longest / .milliseconds(1))) ms at most; \(before.mebibytes) before, \
      \(grown / 1024) KiB more after; \(clock.elapsedSeconds) s
      """
  }

  /// What holds the elements when the function returns, and nothing else does.
  private static let backlogs: [(String, @Sendable (Int, Census) -> any Sendable)] = [
    ("an unbounded subscription", { subscription(.unbounded, $0, $1) }),
    ("a subscription to the newest", { subscription(.bufferingNewest($0), $0, $1) }),
    ("a subscription to the oldest", { subscription(.bufferingOldest($0), $0, $1) }),
    ("a channel that replays", { replaying($0, $1) }),
    (
      "a subscription to what is replayed",
      { count, census in
        let channel = replaying(count, census)
        return channel.outlet.subscribe()
      }
    ),
  ]

  private static func subscription(
    _ policy: BufferingPolicy, _ count: Int, _ census: Census
  ) -> Subscription<Tracked> {
    let channel = Holder(buffering: policy)
    let subscription = channel.outlet.subscribe()
    for number in 0..<count { channel.send(Tracked(number, in: census)) }
    return subscription
  }

  private static func replaying(_ count: Int, _ census: Census) -> Holder {
    let channel = Holder(replaying: count)
    for number in 0..<count { channel.send(Tracked(number, in: census)) }
    return channel
  }

  /// Returns how long it took.
  private func drop(
    _ name: String, _ make: @Sendable (Int, Census) -> any Sendable
  ) throws -> Duration {
    let census = Census()
    let holder = HandOver(make(count, census))
    try BoundBroken.unless(
      census.count == count, "\(name) holds \(census.count) elements instead of \(count)")
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      holder.drop()
      done.signal()
    }
    thread.stackSize = stack
    let begin = ContinuousClock.now
    thread.start()
    done.wait()
    try BoundBroken.unless(
      census.count == 0, "\(name) was dropped, and \(census.count) elements are still there")
    return ContinuousClock.now - begin
  }
}

/// Holds the last reference, until a thread drops it.
private final class HandOver: Sendable {
  private let value: Mutex<(any Sendable)?>

  init(_ value: any Sendable) {
    self.value = Mutex(value)
  }

  func drop() {
    _ = value.withLock { $0.take() }
  }
}
