/// Looking on for a moment before falling asleep: if the next element is that near, a consumer that
/// waits for it on its thread spares itself the sleep and its sender the ring, which cost much more.
///
/// - A consumer that looked on without success skips it at its next sleep; if the next attempt is in
///   vain, too, at the next two, then four, up to a thousand. So a consumer whose elements are far
///   apart pays for one attempt in a thousand sleeps.
/// - The thread is yielded meanwhile to whatever else can run. Nothing is awaited, so on an executor
///   that runs one job after the other this is a delay and never a deadlock.
/// - The main actor's thread must stay free, and with many subscribers the others need the thread: in
///   both cases nobody looks on.
struct Lingering {
  /// With more subscribers than this, nobody looks on.
  static var fewSubscribers: Int { 16 }
  private static var nanoseconds: UInt64 { 5_000 }
  private static var longestAbstention: UInt16 { 1_024 }

  /// How many sleeps it skips, after it last looked on without success.
  private var abstention: UInt16 = 0
  /// How many of them are left.
  private var rest: UInt16 = 0

  /// Whether `peek` saw an element in time.
  mutating func sees(_ isolation: (any Actor)?, _ peek: () -> Bool) -> Bool {
    if peek() { return true }
    guard rest == 0 else {
      rest -= 1
      return false
    }
    guard isolation !== MainActor.shared else { return false }
    let start = CurrentThread.uptime
    repeat {
      CurrentThread.yield()
      if peek() {
        abstention = 0
        return true
      }
    } while CurrentThread.uptime &- start < Self.nanoseconds
    abstention = min(max(1, abstention * 2), Self.longestAbstention)
    rest = abstention
    return false
  }
}
