/// Follows what happens to a log: recordings, tests that wait until the subscribers have settled, counts
/// of subscribers. The log knows them by this only, and hardly ever has one.
///
/// Each event is told in the step in which it happens, with the log's lock held. So an observer calls
/// nobody but its own, and what it would do beyond that it returns, to be done when the lock is released.
package protocol LogObserver: AnyObject, Sendable {
  /// Whether it is told of each send and each take. Then senders and consumers go the slow way.
  ///
  /// Others hear of subscribers that come and leave, and of the end.
  var followsElements: Bool { get }

  /// An element is about to be sent. Called with no lock held, so it may run code of the element.
  ///
  /// - Parameter element: Nil if it is not known yet. Then `complete` is called later.
  /// - Returns: What the observer gets back in `LogEvent.sent`.
  func prepare(_ element: Any?) -> (any SendNote)?

  /// The element that was not known is known, and was sent. Called with no lock held.
  func complete(_ note: any SendNote, with element: Any)

  func note(_ event: LogEvent) -> AfterLock?

  /// What it knows of the log, for a report of a failure.
  var report: String? { get }
}

extension LogObserver {
  package func prepare(_ element: Any?) -> (any SendNote)? { nil }
  package func complete(_ note: any SendNote, with element: Any) {}
  package var report: String? { nil }
}

/// What an observer notes of an element that is on its way.
package protocol SendNote: AnyObject, Sendable {}

/// What is to be done once the log's lock is released. A consumer that asks or takes has its cursor's lock
/// then: so nobody is rung here in its events, but in a task of its own.
@usableFromInline
package struct AfterLock: Sendable {
  private let body: @Sendable () -> Void

  package init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  @usableFromInline
  func callAsFunction() { body() }
}

/// What happens to a log. Subscribers have numbers, which ascend from 1 and do not come again.
package enum LogEvent {
  /// The observer is told of all that comes after this.
  case attached(LogPicture)
  /// - Parameters:
  ///   - replays: Whether it begins with what the log replays.
  ///   - count: How many there are now.
  case subscribed(Int, BufferingPolicy, replays: Bool, count: Int)
  case sent(SentElement)
  /// - Parameter slot: Nil if it was not in the shared log: a bounded subscriber's, or replayed.
  case taken(by: Int, slot: Int?)
  case demanded(Demand)
  case cancelled(Int)
  case displaced(Int)
  /// What was taken last was taken by a script, on behalf of the running task.
  case takenByHand(Int)
  /// What the running task sends now is not caused by what it took: its loop has ended, or asks for more.
  case stepEnded(Int)
  /// - Parameter count: How many there are left.
  case left(Int, count: Int)
  case finished
  /// What was sent is no longer worked on, since a newer one came. Told with no lock held.
  case superseded(Int)
  /// What was sent is not worked on. Told with no lock held.
  case ignored(Int)
  /// The answer to what was sent will not be published, since the call was cancelled. Told with no lock held.
  case abandoned(Int)
}

/// A log as it is when somebody begins to follow it.
package struct LogPicture {
  package let isFinished: Bool
  /// The bounded subscribers: how much is in the queue, and how much has left it.
  package let queues: [(subscriber: Int, count: Int, departed: Int)]
  /// How much is replayed to a new one.
  package let replayed: Int
  package let subscriberCount: Int
  /// The number of the newest subscriber.
  package let newest: Int
  /// How many slots the shared log has.
  package let end: Int
  /// The subscribers that sleep: they have taken everything, and ask for more.
  package let asleep: [Int]
}

/// What is known of a sent element when it is appended.
package struct SentElement {
  /// What the observer prepared; nil if it came too late for that, or nothing could be prepared.
  package let note: (any SendNote)?
  /// What is known without asking the element for a description.
  package let words: String?
  /// Its number in the shared log; nil if nobody reads that.
  package let slot: Int?
  /// The bounded subscribers.
  package let queues: [(subscriber: Int, policy: BufferingPolicy)]
  package let subscriberCount: Int
  /// How many elements the log replays, if this is one of them; else zero.
  package let replayed: Int
}

/// An element that a task took, and is still at work on, by the number that an observer of its log gave it.
package struct Origin: Sendable {
  package let observer: any LogObserver
  package let element: Int

  package init(observer: any LogObserver, element: Int) {
    (self.observer, self.element) = (observer, element)
  }
}

/// A consumer begins a step: it has worked on all that it has taken before, and asks for more.
///
/// It asks wherever it may fall asleep, and where it takes in the mode `next`. What it gathers within a
/// step is no question, since it has not worked on the step's first element yet. Where it finds elements
/// without the lock, it is heard when it comes to the slow path, so at the latest 64 elements later.
package struct Demand {
  package let subscriber: Int
  /// Whether it finds nothing.
  package let isEmptyHanded: Bool
  /// For a reader of the log, the number of the slot that it takes next; for a bounded subscriber, how much
  /// has left its queue. Nil for one that came after the end.
  package let progress: Int?
}
