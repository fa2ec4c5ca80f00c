import Synchronization

/// One log as it is recorded: told of what happens to it.
///
/// It calls nobody but `describe`, and may be called with the log's lock held: its own lock comes
/// after that one.
protocol LogTap: AnyObject, Sendable {
  /// The recording, to find what belongs together.
  var tape: ObjectIdentifier { get }

  /// Whether the log is the input of an owner, and only the owner can take from it.
  var isInput: Bool { get }

  /// Puts an element into words. Runs code of the element: with no lock held.
  ///
  /// - Parameter vias: The inlets that it came through.
  func describe(_ element: Any, through vias: [Via]) -> String

  /// What is shown of an element that is in words already. Runs no code of a user.
  func shown(_ words: String) -> String

  /// - Returns: The number of the element that was taken, if it is known.
  @discardableResult
  func note(_ step: LogStep) -> Int?

  /// What was recorded so far, for a report.
  func flow() -> String

  /// Whether the recording still keeps this element.
  func keeps(_ element: Int) -> Bool
}

/// What happens to a log. Subscribers are told apart by their queue, or else by their tag.
enum LogStep {
  /// It is recorded from now on.
  ///
  /// - Parameters:
  ///   - queues: The subscribers with a queue, and how many elements there are in it.
  ///   - kept: Likewise the queue of what is kept for the first subscriber.
  ///   - replayed: How many elements there are to be replayed.
  case attached(queues: [(ObjectIdentifier, Int)], kept: (ObjectIdentifier, Int)?, replayed: Int)
  case sent(SentElement)
  /// - Parameters:
  ///   - replays: Whether it begins with what the log replays.
  ///   - kept: The queue with which it begins: of what was kept for it.
  case subscribed(ObjectIdentifier, BufferingPolicy, replays: Bool, kept: ObjectIdentifier?)
  /// From the shared log.
  case taken(ObjectIdentifier, slot: Int)
  /// From the subscriber's own queue.
  case popped(ObjectIdentifier)
  /// What was taken last was taken on behalf of the running task.
  case handedOver(ObjectIdentifier)
  case left(ObjectIdentifier)
  case cancelled(ObjectIdentifier)
  case displaced(ObjectIdentifier)
  case finished
  /// What was sent is no longer worked on, since a newer one came.
  case superseded(Int)
  /// What was sent is not worked on.
  case ignored(Int)
}

/// What is known of a sent element when it is appended.
struct SentElement {
  let caption: Caption
  /// Its number in the shared log; nil if nobody reads that.
  let slot: Int?
  /// The bounded subscribers.
  let queues: [(subscriber: ObjectIdentifier, policy: BufferingPolicy)]
  let subscribers: Int
  /// How many elements the log replays, if this is one of them; else zero.
  let replayed: Int
  /// The queue in which it is kept for the first subscriber.
  let kept: (queue: ObjectIdentifier, policy: BufferingPolicy)?
  /// What it was caused by, in the same recording.
  let cause: Origin?
  /// The inlets that it came through before, the first one first.
  let vias: [Via]
  let sender: UInt64
}

/// An element in words. They are filled in where no lock is held, which may be after the element was
/// appended.
final class Caption: Sendable {
  private let words: Locked<String?>

  init(_ words: String? = nil) {
    self.words = Locked(words)
  }

  var text: String {
    get { words.withLock { $0 } ?? "…" }
    set { words.withLock { $0 = newValue } }
  }
}
