import Synchronization

/// What a consumer waits on when there is nothing to read: an `AsyncStream` of rings.
///
/// The stream buffers the newest ring only, so ringing before anyone waits is not lost, and ringing
/// twice is ringing once. A ring says "look again" and carries nothing. A consumer keeps its
/// doorbell from one sleep to the next; cancelling a task that waits on it ends the stream for
/// good, so that a cancelled doorbell is dead and the next consumer makes another.
///
/// `@unchecked Sendable`: the three link fields belong to the `SleeperLine` the doorbell is in and
/// are touched only under the log's lock; once the line was taken, only by the one who took it.
final class Doorbell: @unchecked Sendable {
  private let rings: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let dead = Atomic(false)

  /// Whose consumer waits on the main actor is rung there. Set before the doorbell joins a line.
  var isOnMainActor = false
  /// The next to be rung. Strong: a line keeps its doorbells alive until they are rung.
  var next: Doorbell?
  /// The one before; alive, since the line holds it.
  unowned(unsafe) var previous: Doorbell?
  /// Which line it joined (see `SleeperLine.generation`); zero for none.
  var generation: UInt64 = 0

  init() {
    (rings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  var isDead: Bool { dead.load(ordering: .acquiring) }

  /// Says that the stream was cancelled, or is about to be.
  func markDead() {
    dead.store(true, ordering: .releasing)
  }

  func ring() {
    continuation.yield()
  }

  /// Returns at the next ring, or when the task is cancelled.
  func wait(isolation: isolated (any Actor)?) async {
    guard isOnMainActor else { return await next(isolation: isolation) }
    // For the time of the wait only: what the consumer does with an element runs where it wants.
    await withTaskExecutorPreference(MainActorExecutor.shared) { @concurrent [self] in
      await next(isolation: nil)
    }
  }

  private func next(isolation: isolated (any Actor)?) async {
    var iterator = rings.makeAsyncIterator()
    _ = await iterator.next(isolation: isolation)
  }
}
