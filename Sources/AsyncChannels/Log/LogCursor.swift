public import Synchronization

/// A live subscription to a log, without its elements: a place in the log, or a queue that senders
/// fill. `Cursor` is the rest.
///
/// `@unchecked Sendable`, both: for the reason that `Waiter` gives.
@usableFromInline
package class LogCursor: Waiter, @unchecked Sendable {
  /// Reads nothing for a bounded subscriber, and for one that came after the end.
  @exclusivity(unchecked) @usableFromInline final var position: Position
  private final let isReading: Bool
  /// That of a bounded subscriber.
  @usableFromInline final let untypedQueue: SubscriberQueueBase?
  @usableFromInline package final let untypedLog: BroadcastLogBase
  /// The number of the first slot that it reads of the log. Those before were replayed.
  final let firstInLog: Int
  /// Whether the log counts it as a reader.
  private final let isReader: Bool
  /// Whether it was made after the end, and gives nothing.
  final var isPastTheEnd: Bool { subscriber == 0 }

  @usableFromInline
  init(in log: BroadcastLogBase, at place: StartingPoint, queue: SubscriberQueueBase?) {
    untypedLog = log
    position = Position(in: place.segment, number: place.number)
    isReading = place.segment != nil
    untypedQueue = queue
    firstInLog = place.firstInLog
    isReader = place.isReader
    super.init(subscriber: place.subscriber)
  }

  package final override var droppedCount: Int {
    untypedQueue.map { queue in untypedLog.state.withLock { _ in queue.droppedCount } } ?? 0
  }

  /// Returns the slots that are still owed a read, with the hold on their first segment; nil if there are none.
  ///
  /// Slots written before the log stops counting it include this reader in their counts, later ones do not. They
  /// stay alive for as long as it holds the segment that it reads.
  @usableFromInline
  final func unsubscribe() -> Segment.Rest? {
    if isPastTheEnd { return nil }
    var after: AfterLock?
    let end = untypedLog.state.withLock { state in
      let end = state.unsubscribe(readsLog: isReader, queue: untypedQueue)
      if state.hasObservers { after = state.tell(.left(subscriber, count: state.subscriberCount)) }
      return end
    }
    after?()
    guard let segment = position.segment, let end else { return nil }
    let number = position.number
    if number != end.number { return Segment.Rest(first: segment, number: number, end: end) }
    segment.release()
    return nil
  }

  package final override var replacesOld: Bool { untypedQueue?.replacesOld == true }

  @usableFromInline
  package final override var pendingCount: Int {
    if let untypedQueue { return untypedLog.state.withLock { _ in untypedQueue.pendingCount } }
    return isReading ? lock.withLock { _ in untypedLog.publishedCount - position.number } : 0
  }

  final override var next: Int? { isReading ? position.number : nil }

  final override func isThere(_ next: Int) -> Bool { next < untypedLog.publishedCount }

  final override func wake() { _ = advance(demands: true) }

  /// Joining is one step with respect to `append` and `finish`: what was appended before is seen, and a sender that
  /// appends later finds the sleeper. So no wake-up is lost, and no protocol of flags is needed.
  final override func poll(demands: Bool, orJoinWith bell: Doorbell?) -> PollResult {
    if advance(demands: demands) { return .readable }
    var after: AfterLock?
    let result = untypedLog.state.withLock { state in
      let result = state.poll(at: next, queue: untypedQueue, orJoinWith: bell)
      if demands, state.isObserved { after = state.tell(demand(finding: result)) }
      return result
    }
    after?()
    return result
  }

  final override func leaveQueue(_ bell: Doorbell) {
    untypedLog.state.withLock { _ = $0.waiting.leave(bell) }
  }

  /// Whether somebody is told of each send and each take.
  @inlinable
  final var isObserved: Bool { untypedLog.isObserved.load(ordering: .relaxed) }

  /// Goes on in the log, to the next segment if this one is read. True if there is an element.
  ///
  /// What it finds is not known yet if somebody follows it: so each element is taken by `takeFound`. Where an
  /// observer waits for the consumer to ask behind a mark, it cannot have missed that: `isObserved` is written under the
  /// lock before the elements behind the mark are, and these are published with release.
  final func advance(demands: Bool) -> Bool {
    guard position.advance(untypedLog.publishedCount) else { return false }
    guard isObserved else { return true }
    if demands { tell(demand(finding: .readable)) }
    position.forgetKnown()
    return true
  }

  package final override func note(_ step: ConsumerStep) {
    if isObserved { noteObserved(step) }
  }
}
