import Synchronization

/// What a consumer waits on when there is nothing to read: an `AsyncStream` of rings.
///
/// The stream buffers the newest ring only, so ringing before anyone waits is not lost, and ringing
/// twice is ringing once. A ring says "look again" and carries nothing. A consumer keeps its
/// doorbell from one sleep to the next; cancelling a task that waits on it ends the stream for
/// good, so that a cancelled doorbell is dead and the next consumer makes another.
///
/// `@unchecked Sendable`: `ticket` and `isOnMainActor` are written by the consumer that is about to
/// wait, and read by it, by the stream's handler while it waits, and by who rings it. The three link
/// fields belong to the `SleeperLine` the doorbell is in and are touched only under the log's lock;
/// once the line was taken, only by the one who took it.
final class Doorbell: @unchecked Sendable {
  private let rings: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let dead = Atomic(false)
  /// Alive while somebody waits: the consumer holds it.
  private unowned(unsafe) let cursor: AnyCursor
  /// Who waits.
  private var ticket: UInt64 = 0

  /// Whose consumer waits on the main actor is rung there.
  private(set) var isOnMainActor = false
  /// The next to be rung. Strong: a line keeps its doorbells alive until they are rung.
  var next: Doorbell?
  /// The one before; alive, since the line holds it.
  unowned(unsafe) var previous: Doorbell?
  /// Which line it joined (see `SleeperLine.generation`); zero for none.
  var generation: UInt64 = 0

  init(of cursor: AnyCursor) {
    self.cursor = cursor
    (rings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    // The stream calls this inside `cancel()`, before it ends: no handler besides its own is needed.
    continuation.onTermination = { [unowned(unsafe) self] _ in noteCancel(of: ticket) }
  }

  deinit {
    // The stream would call it now, which is not a cancellation.
    continuation.onTermination = nil
  }

  var isDead: Bool { dead.load(ordering: .acquiring) }

  func ring() {
    continuation.yield()
  }

  /// Before the doorbell joins a line.
  func prepare(for ticket: UInt64, onMainActor: Bool) {
    self.ticket = ticket
    isOnMainActor = onMainActor
  }

  /// Waits for the next ring, or until the task is cancelled. False if it was: then the lease is gone,
  /// and the cursor may be another's.
  ///
  /// From `fallAsleep` to here, and from the stream to `wake`, it takes a few steps. Outside of any
  /// isolation nothing is waited for on the way, so the stream's own handler is enough.
  ///
  /// Inlined: a sleeping task keeps the frame of every call that it is in.
  @inline(__always)
  func wait(isolation: isolated (any Actor)?) async -> Bool {
    guard isolation == nil else { return await wait(in: isolation) }
    await nextRing(isolation: isolation)
    return cursor.lease.wake(ticket)
  }

  /// The stream's code has no isolation. So the consumer waits for an executor before the stream and
  /// after it, maybe for the very one that the next consumer runs on, and has to give way there too.
  private func wait(in isolation: isolated (any Actor)?) async -> Bool {
    // The next consumer may use this doorbell before the handler is removed.
    let ticket = ticket
    return await withTaskCancellationHandler {
      if isOnMainActor {
        // For the time of the wait only: what the consumer does with an element runs where it wants.
        await withTaskExecutorPreference(MainActorExecutor.shared) { @concurrent [self] in
          await nextRing(isolation: nil)
        }
      } else {
        await nextRing(isolation: isolation)
      }
      return cursor.lease.wake(ticket)
    } onCancel: {
      noteCancel(of: ticket)
    }
  }

  @inline(__always)
  private func nextRing(isolation: isolated (any Actor)?) async {
    var iterator = rings.makeAsyncIterator()
    _ = await iterator.next(isolation: isolation)
  }

  /// The stream is about to end. First the mark, so that whoever has the lease next makes a doorbell
  /// of its own.
  private func noteCancel(of ticket: UInt64) {
    dead.store(true, ordering: .releasing)
    cursor.lease.noteCancel(ticket)
  }
}
