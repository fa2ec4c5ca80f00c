import Synchronization

/// An element that a task took in a recording, and is still at work on.
struct Origin: Sendable {
  let tap: any LogTap
  let element: Int
}

/// Which task is at work on which element: from when it takes one until it asks the same subscription
/// again. Only elements of logs that are recorded are here, so while nothing is, this costs one load.
///
/// One lock for the program, which is taken with no other held.
@usableFromInline
enum Causes {
  private struct Entry {
    let subscriber: ObjectIdentifier
    let origin: Origin
  }

  /// By task; what was taken last is last. Tasks that end leave their entries until these are
  /// cleaned out.
  private static let entries = Locked<[UInt64: [Entry]]>([:])
  private static let recordings = Atomic(0)
  private static let limit = Atomic(1024)

  /// Whether anything is recorded in the program. Relaxed: it only saves work. That a log is recorded
  /// is known with the log's lock.
  @usableFromInline
  static var areRecorded: Bool { recordings.load(ordering: .relaxed) > 0 }

  static func recordingBegins() {
    recordings.wrappingAdd(1, ordering: .relaxed)
  }

  static func recordingEnds(_ tape: ObjectIdentifier) {
    recordings.wrappingSubtract(1, ordering: .relaxed)
    clean { $0.origin.tap.tape != tape }
  }

  /// What the running task is at work on: of each recording what it took last.
  static var current: [Origin] {
    guard areRecorded, let task = CurrentTask.number else { return [] }
    var found: [Origin] = []
    for entry in entries.withLock({ $0[task] ?? [] }).reversed()
    where !found.contains(where: { $0.tap.tape == entry.origin.tap.tape }) {
      found.append(entry.origin)
    }
    return found
  }

  /// The running task has taken an element from a subscription.
  ///
  /// What a recording no longer keeps is left out, with the lock held: an entry for a recording that is
  /// dropped meanwhile is either refused here, or there when `recordingEnds` clears them out.
  static func took(_ origins: [Origin], from subscriber: ObjectIdentifier) {
    guard !origins.isEmpty, let task = CurrentTask.number else { return }
    let count = entries.withLock { entries in
      let new = origins.filter { $0.tap.keeps($0.element) }
      var all = entries.removeValue(forKey: task) ?? []
      all.removeAll { $0.subscriber == subscriber }
      all += new.map { Entry(subscriber: subscriber, origin: $0) }
      if !all.isEmpty { entries[task] = all }
      return entries.count
    }
    if count > limit.load(ordering: .relaxed) {
      // Of tasks that have ended, the recording forgets the elements sooner or later.
      let rest = clean { $0.origin.tap.keeps($0.origin.element) }
      limit.store(max(1024, 2 * rest), ordering: .relaxed)
    }
  }

  /// The running task asks a subscription again, or has left it.
  static func forget(_ subscriber: ObjectIdentifier) {
    guard areRecorded, let task = CurrentTask.number else { return }
    entries.withLock { entries in
      entries[task]?.removeAll { $0.subscriber == subscriber }
      if entries[task]?.isEmpty == true { entries[task] = nil }
    }
  }

  /// Tells the recordings what became of the elements that the running task is at work on.
  static func note(of origins: [Origin] = current, _ step: (Int) -> LogStep) {
    for origin in origins { origin.tap.note(step(origin.element)) }
  }

  /// `isKept` may take a tape's lock: that comes after this one.
  ///
  /// - Returns: How many tasks are left.
  @discardableResult
  private static func clean(keeping isKept: (Entry) -> Bool) -> Int {
    entries.withLock { entries in
      entries = entries.mapValues { $0.filter(isKept) }.filter { !$0.value.isEmpty }
      return entries.count
    }
  }
}
