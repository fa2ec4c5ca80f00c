/// What a consumer waits on when there is nothing to read: an `AsyncStream` of rings, for a task; for a listener
/// without a task, the line in which it stands (`ListenerQueue`).
///
/// The stream buffers the newest ring only, so a ring before the wait is not lost, and ringing
/// twice is ringing once. A ring means "look again" and carries nothing. A subscription keeps its
/// doorbell from one sleep to the next, until a consumer is cancelled or displaced while it sleeps:
/// cancelling a task that waits on a stream ends that stream for good, and a displaced consumer may
/// still be listening.
///
/// `@unchecked Sendable`: the link fields belong to the `WaitQueue` that the doorbell is in, and
/// are touched only under the log's lock; once they were taken out of the queue, only by the code
/// that has the list.
@usableFromInline
final class Doorbell: @unchecked Sendable {
  private let rings: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  /// Who waits, if that is no task.
  private let listener: QueuedListener?
  /// What a listener has in the place of a stream: for a task, an optional one would cost each sleep.
  private static let noStream = AsyncStream.makeStream(of: Void.self)

  /// The number of its consumer among the log's subscribers; zero for one that only watches.
  let subscriber: Int
  /// Whether its consumer may spin before it sleeps: it reads the log without the lock, and there were few
  /// subscribers when it last fell asleep. Written and read by the consumer.
  var maySpin = false
  /// The next to be rung. Strong: a queue keeps its doorbells alive until they are rung.
  var next: Doorbell?
  /// The one before; alive, since the queue holds it.
  unowned(unsafe) var previous: Doorbell?
  /// The generation of the queue that it joined (see `WaitQueue`); zero for none.
  var generation: UInt64 = 0

  init(ofSubscriber number: Int) {
    subscriber = number
    (rings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    listener = nil
  }

  init(of listener: QueuedListener, asSubscriber number: Int) {
    subscriber = number
    (rings, continuation) = Self.noStream
    self.listener = listener
  }

  /// A doorbell for another queue, which rings for the same consumer.
  init(sharing bell: Doorbell, ofSubscriber number: Int) {
    subscriber = number
    (rings, continuation, listener) = (bell.rings, bell.continuation, bell.listener)
  }

  /// Rings this one and those that it is linked to, in order.
  func ringAll() {
    var bell: Doorbell? = self
    while let current = bell {
      // Its consumer may join a queue again as soon as it is rung.
      bell = current.next.take()
      current.ring()
    }
  }

  /// Wakes the consumer that waits. This runs code of its executor, so no lock may be held.
  ///
  /// Not inlined: it is called in many places, and what it does takes much longer than a call.
  @inline(never)
  func ring() {
    if let listener { listener.enqueue() } else { continuation.yield() }
  }

  /// Waits for the next ring, or until the task is cancelled. Not for a listener.
  ///
  /// Inlined, since a sleeping task keeps the frame of every call that it is in.
  @inline(__always)
  func wait(isolation: isolated (any Actor)?) async {
    var iterator = rings.makeAsyncIterator()
    _ = await iterator.next(isolation: isolation)
  }
}
