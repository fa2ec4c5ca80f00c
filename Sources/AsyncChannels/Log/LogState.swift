/// What makes a send more than appending. Nearly every log has none of it, so a sender looks at one byte,
/// with the lock held.
@frozen @usableFromInline
struct LogFlags: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable static var finished: LogFlags { LogFlags(rawValue: 1) }
  @inlinable static var updating: LogFlags { LogFlags(rawValue: 2) }
  @inlinable static var observed: LogFlags { LogFlags(rawValue: 4) }
}

/// The state of a log, without its elements. Its changes return what is to be done after unlocking.
///
/// Invariants:
/// - `readers` is the number of live unbounded subscribers; each has a position at or before `end`.
/// - `queues[i].index == i` for each live bounded subscriber; other queues have none.
@usableFromInline
struct LogState: Sendable {
  @usableFromInline var flags: LogFlags = []
  @usableFromInline private(set) var readers = 0
  /// The tail, which the log holds. Made when the first unbounded subscriber joins.
  @usableFromInline var end: LogEnd?
  /// In no order.
  @usableFromInline private(set) var queues: ContiguousArray<SubscriberQueueBase> = []
  @usableFromInline var waiting = WaitQueue()
  /// What a sender has left to the actor: the rest of a crowd, and those that were taken since.
  private var due = Sleepers()
  /// From when a sender leaves some to the actor until that finds no more.
  private var isRingerAtWork = false
  /// Those that follow the log: hardly ever any.
  var observers: [any LogObserver] = [] {
    didSet {
      hasObservers = !observers.isEmpty
      set(.observed, to: observers.contains(where: \.followsElements))
    }
  }
  @usableFromInline private(set) var hasObservers = false
  /// How many of the queues belong to followers of several logs.
  @usableFromInline private(set) var followerCount = 0
  /// The number of the newest subscriber: numbers ascend from 1 and do not come again.
  @usableFromInline var newestSubscriber = 0
  /// Made when there are more sleepers than a sender rings itself: most channels never need it.
  lazy var ringer = Ringer()

  /// Whether to send is to append, and no more.
  @inlinable
  var isPlain: Bool { flags.isEmpty }

  @inlinable
  var isFinished: Bool { flags.contains(.finished) }

  /// Whether somebody is replacing the newest element, in more than one step.
  @inlinable
  var isUpdating: Bool {
    get { flags.contains(.updating) }
    set { set(.updating, to: newValue) }
  }

  /// Whether somebody is told of each send and each take.
  @inlinable
  var isObserved: Bool { flags.contains(.observed) }

  @inlinable
  mutating func set(_ flag: LogFlags, to isSet: Bool) {
    if isSet { flags.insert(flag) } else { flags.remove(flag) }
  }

  @inlinable
  var subscriberCount: Int { isFinished ? 0 : readers + queues.count }

  /// Writes an element for all readers; there must be some. Returns how many slots there are now, to be
  /// published.
  @inlinable
  mutating func writeSlot<Element>(_ element: Element) -> Int {
    guard var end else { preconditionFailure("A log with readers has a tail.") }
    if end.index == end.segment.capacity { end = nextSegment(behind: end, for: Element.self) }
    end.segment.write(element, at: end.index, pendingReads: readers)
    end.index += 1
    self.end = end
    return end.number
  }

  @usableFromInline
  func nextSegment<Element>(behind end: LogEnd, for _: Element.Type) -> LogEnd {
    let full = end.segment
    let next = Segment.make(for: Element.self, behind: end)
    full.link(next)
    full.release()
    return LogEnd(segment: next, index: 0)
  }

  /// Returns where the reader begins.
  @usableFromInline
  mutating func addReader<Element>(of _: Element.Type) -> LogEnd {
    let end = end ?? LogEnd(segment: .make(for: Element.self, behind: nil), index: 0)
    self.end = end
    readers += 1
    return end
  }

  @usableFromInline
  mutating func addQueue(_ queue: SubscriberQueueBase) {
    if queue.place != nil { followerCount += 1 }
    queue.index = queues.count
    queues.append(queue)
  }

  /// A subscriber that leaves does not sleep: a consumer that sleeps holds its cursor.
  mutating func unsubscribe(readsLog: Bool, queue: SubscriberQueueBase?) -> LogEnd? {
    if let queue { removeQueue(queue) }
    guard readsLog else { return nil }
    readers -= 1
    return end
  }

  /// A look of a consumer. If there is nothing and a doorbell is given, the doorbell joins the wait queue.
  ///
  /// - Parameter number: That of the slot that a reader takes next.
  mutating func poll(
    at number: Int?, queue: SubscriberQueueBase?, orJoinWith bell: Doorbell?
  ) -> PollResult {
    if let queue, queue.pendingCount > 0 { return .readable }
    if let number, number < end?.number ?? 0 { return .readable }
    if isFinished { return .finished }
    if let bell {
      waiting.join(bell)
      bell.maySpin = number != nil && subscriberCount <= AdaptiveSpin.fewSubscribers
    }
    return .nothing
  }

  /// The first sleepers are rung by the sender that takes them. While the actor is at work on the rest of a crowd,
  /// later ones join that: none overtakes those that fell asleep earlier.
  @inlinable
  mutating func takeSleepers() -> Wake {
    waiting.count == 0 ? .nobody : takeAllSleepers()
  }

  @usableFromInline
  mutating func takeAllSleepers() -> Wake {
    var sleepers = waiting.takeAll()
    if isRingerAtWork {
      due.append(sleepers)
      return .nobody
    }
    isRingerAtWork = sleepers.count > Wake.few
    guard isRingerAtWork else { return sleepers.first.map(Wake.few) ?? .nobody }
    let first = sleepers.cutFirst(Wake.few)
    due = sleepers
    return first.map(Wake.crowd) ?? .nobody
  }

  /// Those followers of several logs that sleep are to be rung with this log's own sleepers.
  @usableFromInline
  mutating func joinSleepingFollowers() {
    for queue in queues { if let bell = queue.place?.takeBell() { waiting.join(bell) } }
  }

  /// For the actor. Nil if none is due: then it is not at work any more.
  mutating func takeDue() -> Sleepers? {
    isRingerAtWork = due.count > 0
    return isRingerAtWork ? exchange(&due, with: Sleepers()) : nil
  }

  /// Nobody to be woken, and nothing to be done, if it is finished already.
  mutating func finish() -> (wake: Wake, after: AfterLock?) {
    if isFinished { return (.nobody, nil) }
    set(.finished, to: true)
    for queue in queues { if let bell = queue.place?.end() { waiting.join(bell) } }
    return (takeSleepers(), tell(.finished))
  }

  private mutating func removeQueue(_ queue: SubscriberQueueBase) {
    guard let index = queue.index, let last = queues.popLast() else { return }
    if queue.place != nil { followerCount -= 1 }
    if last !== queue { (queues[index], last.index) = (last, index) }
  }
}
