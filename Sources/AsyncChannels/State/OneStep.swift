import Synchronization

/// When several values were changed in one step.
///
/// Who stores changes the count before the first value and after the last (acquiring and releasing: no store moves to the
/// other side). A reader that has found one of the new values, under its log's lock, finds that the count has changed. It
/// loads versions with acquire, so its second look at the count does not come before them.
enum OneStep {
  /// Odd while values are being stored. No user's code runs then.
  private static let count = Atomic(0)
  private static let lock = Locked(())

  static func store(_ body: () -> Void) {
    lock.withLock { _ in
      advance()
      body()
      advance()
    }
  }

  private static func advance() { count.add(1, ordering: .acquiringAndReleasing) }

  /// Looks once; nil if something was stored in one step meanwhile.
  static func look<Result>(_ body: () -> Result?) -> Result? {
    while true {
      let begin = count.load(ordering: .acquiring)
      if begin % 2 == 0 {
        let result = body()
        return count.load(ordering: .relaxed) == begin ? result : nil
      }
      lock.withLock { _ in }
    }
  }
}
