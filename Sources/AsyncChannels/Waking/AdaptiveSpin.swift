/// Spinning for a moment before falling asleep: if the next element is that near, a consumer that
/// waits for it on its thread spares itself the sleep and its sender the ring, which cost much more.
///
/// - If spinning did not pay off, a consumer skips it at its next sleep. After another failure it skips it at the
///   next two sleeps, then four, up to a thousand. So a consumer whose elements are far apart spins once in a
///   thousand sleeps.
/// - It holds no lock meanwhile, and does not yield its thread: a thread that yields beside others
///   that compute is away for milliseconds.
/// - The main actor's thread must stay free, and with many subscribers the others need the thread: in
///   both cases no consumer spins.
struct AdaptiveSpin {
  /// With more subscribers than this, no consumer spins.
  static var fewSubscribers: Int { 16 }
  private static var nanoseconds: UInt64 { 5_000 }
  private static var longestAbstention: UInt16 { 1_024 }

  /// How many sleeps it skips, after it last spun without success.
  private var abstention: UInt16 = 0
  /// How many of them are left.
  private var rest: UInt16 = 0

  /// Whether a consumer that is about to fall asleep is to spin.
  mutating func mayTry(_ isolation: (any Actor)?) -> Bool {
    guard rest == 0 else {
      rest -= 1
      return false
    }
    return CurrentThread.hasOthers && isolation !== MainActor.shared
  }

  /// Whether there was an element in time.
  static func sees(_ peek: () -> Bool) -> Bool {
    let start = CurrentThread.uptime
    repeat {
      if peek() { return true }
    } while CurrentThread.uptime &- start < nanoseconds
    return false
  }

  /// To be told of each attempt.
  mutating func note(hasSeen: Bool) {
    abstention = hasSeen ? 0 : min(max(1, abstention * 2), Self.longestAbstention)
    rest = abstention
  }
}
