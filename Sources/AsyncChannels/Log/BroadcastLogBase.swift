public import Synchronization

/// The elements of a channel and the queue of the consumers that wait for more, behind one lock.
///
/// The lock serializes writers, and gives the one order that all subscribers see. No element is
/// destroyed, no task resumed and no code of a user run while it is held: what is left to do is
/// returned.
///
/// - Unbounded subscribers read a shared list of segments without the lock (see `Segment`). An
///   element is stored once, with the number of readers that owe it a read.
/// - Bounded subscribers each have a queue that senders fill.
/// - The replay window is copied to each new subscriber under the lock, as it joins: what is in the
///   window was sent before, and what is sent later arrives by the log. So at the seam nothing is
///   lost or repeated.
///
/// This is the part that does not depend on the element; `BroadcastLog` is the rest.
@usableFromInline
package class BroadcastLogBase: @unchecked Sendable {
  @usableFromInline final let state = Locked(LogState())
  /// How many slots of the log can be read. Written under the lock.
  @usableFromInline final let published = Atomic(0)
  /// How many elements were ever replayed: of state, the number of the newest. Written under the lock.
  @usableFromInline final let version = Atomic(0)
  /// What `LogState.isObserved` is, for a consumer that looks without the lock. Written under the lock.
  /// Relaxed: it leads to the slower path, which looks under the lock.
  @usableFromInline final let isObserved = Atomic(false)

  /// A recording of the program follows each log from here on.
  @usableFromInline
  init() {
    TestFollowing.current?.made(self)
    Causes.known?.made(self, of: elementType)
  }

  deinit {
    // Every cursor holds the log, so there is no reader left: the tail has no element.
    state.withLock { $0.end }?.segment.release()
  }

  /// How many slots can be read, with what their senders wrote.
  @inlinable
  final var publishedCount: Int { published.load(ordering: .acquiring) }

  var elementType: any Sendable.Type { Never.self }

  /// How many elements a new subscriber gets. With the lock held.
  var replayedCount: Int { 0 }

  /// The newest element of state, with its version; nil while it is changed in place.
  var anyNewest: (value: Any, version: Int)? { nil }

  /// A subscription that only tells its follower of elements.
  func subscribe(at place: SignalPlace) -> LogCursor {
    preconditionFailure("A log knows its elements.")
  }

  package final var subscriberCount: Int { state.withLock { $0.subscriberCount } }

  /// Whether nothing waits for a bounded subscriber.
  final var queuesAreEmpty: Bool {
    state.withLock { $0.queues.allSatisfy { $0.pendingCount == 0 } }
  }

  /// Makes slots readable. With the log's lock held.
  ///
  /// A releasing fence and a relaxed store, rather than a releasing store: where this is inlined, the
  /// optimizer (6.3.1) moves the retain of an element that was written behind such a store, since it
  /// takes that for one that releases no object. A reader could then destroy the element before it was
  /// retained. It moves nothing over a fence.
  @inlinable
  final func publish(upTo number: Int) {
    #if ASYNCCHANNELS_PTHREAD_LOCK
      // Thread Sanitizer does not know fences. This tells it the same.
      published.add(0, ordering: .releasing)
    #endif
    atomicMemoryFence(ordering: .releasing)
    published.store(number, ordering: .relaxed)
  }
}
