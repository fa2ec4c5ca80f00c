import AsyncChannels

/// Answers that come from several tasks and are published one by one: the task that finds nobody publishing
/// goes on until none is left.
struct Answers: ~Copyable {
  private var waiting = RingBuffer<AnyBox>()
  private var isPublishing = false

  /// Whether the caller is to publish its answer now, and then what comes next: nobody else does.
  mutating func begin(or wait: () -> AnyBox) -> Bool {
    if isPublishing {
      waiting.append(wait())
      return false
    }
    isPublishing = true
    return true
  }

  /// What the caller is to publish next; nil if it is done.
  mutating func takeNext() -> AnyBox? {
    let next = waiting.popFirst()
    isPublishing = next != nil
    return next
  }
}
