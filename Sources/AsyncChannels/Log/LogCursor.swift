public import Synchronization

/// A live subscription to a log, without its elements: a place in the log, or a queue that senders
/// fill. `Cursor` is the rest.
///
/// `@unchecked Sendable`, both: for the reason that `Waiter` gives.
@usableFromInline
package class LogCursor: Waiter, @unchecked Sendable {
  /// Reads nothing for a bounded subscriber, and for one that came after the end.
  @usableFromInline final let position: Position
  /// That of a bounded subscriber.
  @usableFromInline final let untypedQueue: SubscriberQueueBase?
  @usableFromInline final let untypedLog: BroadcastLogBase
  /// The number of the first slot that it reads of the log. Those before were replayed or kept.
  final let firstInLog: Int
  /// Whether the log counts it as a reader.
  private final let isReader: Bool
  /// Whether it was made after the end, and gives nothing.
  final let isPastTheEnd: Bool
  /// Whether nobody waits for it: a test's probe. Set before it is consumed.
  @exclusivity(unchecked) final var isOnlooker = false
  /// How many elements were dropped before it came.
  private final let inheritedDrops: Int
  /// The segment of a claim that was not finished when the place was closed (see `Position`), and the number
  /// up to which claims are finished when that one is. Nil while the place is open.
  @exclusivity(unchecked) private final var parked: (segment: Segment, until: UInt32)?
  /// Its number among the log's subscribers.
  final let subscriber: Int
  /// Touched only under the log's lock, and in `deinit`.
  @exclusivity(unchecked) final var sleep = Sleep()

  @usableFromInline
  init(in log: BroadcastLogBase, at place: StartingPoint, queue: SubscriberQueueBase?) {
    untypedLog = log
    position = Position(in: place.segment, number: place.number)
    untypedQueue = queue
    firstInLog = place.firstInLog
    isReader = place.isReader
    isPastTheEnd = place.isPastTheEnd
    inheritedDrops = place.dropped
    subscriber = place.subscriber
    super.init()
  }

  final override var droppedCount: Int {
    inheritedDrops
      + (untypedQueue.map { queue in untypedLog.state.withLock { _ in queue.droppedCount } } ?? 0)
  }

  /// Returns the slots that are still owed a read, with the hold on their first segment; nil if there are none.
  ///
  /// Slots written before the log stops counting it include this reader in their counts, later ones do not. They
  /// stay alive for as long as it holds the segment that it reads.
  @usableFromInline
  final func unsubscribe() -> Segment.Rest? {
    if let parked { parked.segment.release() }
    if isPastTheEnd { return nil }
    var after: AfterLock?
    let end = untypedLog.state.withLock { state in
      let end = state.unsubscribe(readsLog: isReader, queue: untypedQueue)
      if isOnlooker { state.onlookers?.remove(subscriber) }
      if state.hasObservers {
        after = state.tell(.left(subscriber, after: sleep, count: state.subscriberCount))
      }
      return end
    }
    after?()
    guard let segment = position.segment, let number = position.number else { return nil }
    if number != end?.number { return Segment.Rest(first: segment, number: number, end: end) }
    segment.release()
    return nil
  }

  @usableFromInline
  final override var pendingCount: Int {
    untypedLog.state.withLock { _ in
      untypedQueue?.count ?? (position.isReading ? position.countBehind(untypedLog.published) : 0)
    }
  }

  final override var hasMore: Bool {
    position.isReading && position.countBehind(untypedLog.published) > 0
  }

  /// Puts the epoch into the word, unless a consumer that was displaced has not finished what it claimed.
  ///
  /// A place that is closed already, with nothing parked, has no unfinished claims.
  final override func admit(_ epoch: UInt64?) {
    if position.isOpen(for: epoch ?? Position.nobody) { return }
    if parked == nil, !position.isOpen(for: Position.nobody) { _ = closeIfUnfinished() }
    guard let epoch else { return }
    if let parked {
      guard position.finished.load(ordering: .acquiring) == parked.until else { return }
      parked.segment.release()
      self.parked = nil
    }
    position.open(for: epoch)
  }

  /// With the epoch of nobody in the word nothing more is claimed. If all claims are finished then, nobody
  /// uses a slot that was claimed; if one is not, it is in this segment, which is held until it is.
  ///
  /// Returns the word as it was.
  private final func closeIfUnfinished() -> UInt64 {
    let old = position.close()
    let number = UInt32(truncatingIfNeeded: old >> 32)
    if let segment = position.segment, position.finished.load(ordering: .acquiring) != number {
      segment.retain()
      parked = (segment, until: number)
    }
    return old
  }

  /// Goes on to the next segment. Two tasks that share an iterator, which is not `Sendable`, may have claims
  /// in this one that are not finished; nothing more can be claimed in it.
  private final func leaveSegment() {
    // In a closed place nothing is parked, and what is taken is not counted as claimed.
    if parked == nil, !position.isOpen(for: Position.nobody), position.hasUnfinishedClaims {
      let old = closeIfUnfinished()
      if parked == nil { position.open(for: old) }
    }
    position.goToNextSegment()
  }

  final override func wake() { _ = advance(asks: true) }

  /// Joining is one step with respect to `append` and `finish`: what was appended before is seen, and a sender that
  /// appends later finds the sleeper. So no wake-up is lost, and no protocol of flags is needed.
  final override func poll(asks: Bool, orJoinWith bell: Doorbell?) -> PollResult {
    if advance(asks: asks) { return .readable }
    var after: AfterLock?
    let look = untypedLog.state.withLock { state in
      let look = state.poll(at: position.number, queue: untypedQueue, orJoinWith: bell)
      // Before its next sleep is noted: what it asks comes after the last one.
      if asks, state.isObserved { after = state.tell(asking(finding: look)) }
      if look == .nothing, bell != nil { sleep = Sleep(from: state.waiting.now) }
      return look
    }
    after?()
    return look
  }

  final override func leaveQueue(_ bell: Doorbell) -> Bool {
    untypedLog.state.withLock { state in
      let isOut = state.waiting.leave(bell)
      if isOut { sleep.until = state.waiting.now.change }
      return isOut
    }
  }

  final override func helpRinging() { untypedLog.helpRinging() }

  final override var isSubscriber: Bool { !isOnlooker }

  package final override func becomeOnlooker() {
    if isPastTheEnd { return }
    isOnlooker = true
    untypedLog.state.withLock { $0.onlookers = ($0.onlookers ?? []).union([subscriber]) }
  }

  final override func makeWatchers() -> [Waiter] { [ArrivalWatcher(of: self)] }

  /// Whether somebody is told of each send and each take.
  @inlinable
  final var isObserved: Bool { untypedLog.isObserved.load(ordering: .relaxed) }

  /// Goes on in the log, to the next segment if this one is read. True if there is an element.
  ///
  /// What it finds is not known yet if somebody follows it: so each element is taken by `takeNoting`. Where an
  /// observer waits for the consumer to ask behind a mark, it cannot have missed that: `isObserved` is written under the
  /// lock before the elements behind the mark are, and these are published with release.
  final func advance(asks: Bool) -> Bool {
    if position.isAtEndOfSegment { leaveSegment() }
    guard position.lookFurther(untypedLog.publishedCount) else { return false }
    guard isObserved else { return true }
    if asks { tell(asking(finding: .readable)) }
    position.forgetKnown(but: 0)
    return true
  }

  package final override func note(_ step: ConsumerStep) {
    if isObserved { noteObserved(step) }
  }
}
