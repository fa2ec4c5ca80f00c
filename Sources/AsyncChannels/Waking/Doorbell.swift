/// What a consumer waits on when there is nothing to read: an `AsyncStream` of rings.
///
/// The stream buffers the newest ring only, so ringing before anyone waits is not lost, and ringing
/// twice is ringing once. A ring says "look again" and carries nothing. A subscription keeps its
/// doorbell from one sleep to the next, until a consumer is cancelled or displaced while it sleeps:
/// cancelling a task that waits on a stream ends that stream for good, and a displaced consumer may
/// still be listening.
///
/// `@unchecked Sendable`: the link fields belong to the `WaitQueue` the doorbell is in and are touched
/// only under the log's lock; once the queue was emptied, only by whoever has the list.
final class Doorbell: @unchecked Sendable {
  private let rings: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  /// The next to be rung. Strong: a queue keeps its doorbells alive until they are rung.
  var next: Doorbell?
  /// The one before; alive, since the queue holds it.
  unowned(unsafe) var previous: Doorbell?
  /// Which queue it joined (see `WaitQueue.generation`); zero for none.
  var generation: UInt64 = 0

  init() {
    (rings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// A doorbell for another queue that rings for the same consumer.
  init(branchOf bell: Doorbell) {
    (rings, continuation) = (bell.rings, bell.continuation)
  }

  /// Wakes whoever waits. Runs code of that task's executor, so no lock and no lease may be held.
  func ring() {
    continuation.yield()
  }

  /// Waits for the next ring, or until the task is cancelled.
  ///
  /// Inlined: a sleeping task keeps the frame of every call that it is in.
  @inline(__always)
  func wait(isolation: isolated (any Actor)?) async {
    var iterator = rings.makeAsyncIterator()
    _ = await iterator.next(isolation: isolation)
  }
}
