import AsyncChannels
import Synchronization

/// A clock on which every sleep ends at once, with the time where the sleeper wanted it; or with no
/// time passed, if `isFrozen`.
final class JumpingClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  private let time = Locked(Instant())
  private let isFrozen: Bool

  init(isFrozen: Bool = false) {
    self.isFrozen = isFrozen
  }

  var now: Instant { time.withLock { $0 } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    if !isFrozen { time.withLock { $0 = max($0, deadline) } }
  }
}
