/// A position in the stream, fixed when you create it. Use it to miss nothing before a loop begins, or to
/// continue in the next `run()` where the last one stopped.
///
/// An outlet's `for await` subscribes when it makes its iterator, which in a `Task` is some time
/// after the task was made. A subscription begins when it is made, and can be consumed later and elsewhere:
///
/// ```swift
/// let results = viewModel.signInResult.subscribe()
/// Task {
///   for await result in results { … }
/// }
/// ```
///
/// **One loop at a time consumes it, and a newer loop replaces an older one.** Where a loop was left, or its
/// task was cancelled, the next loop continues. It need not wait until the cancelled one has returned. The
/// consumer is the newest iterator that has asked for an element. If it asks while an older one waits, the
/// older one gets `nil`, immediately and whenever it asks again, and its loop ends as if it had been
/// cancelled. Nothing is lost: the newest continues with the first element that was not taken.
///
/// For two listeners that each want everything, subscribe once for each. If a consumer is displaced although
/// its task was not cancelled, a debug build reports this on standard error, once in a program.
///
/// Dropping the last reference, its iterators included, unsubscribes and releases the elements that were not
/// taken. Nothing else does that: a subscription that is kept and not consumed holds as much as its
/// policy allows. After the channel is finished, the subscription gives the elements that were sent before,
/// then only `nil`.
@_fixed_layout
public final class Subscription<Element: Sendable>: AsyncSequence, Sendable {
  @usableFromInline package let upstream: Upstream<Element>

  @inlinable
  init(_ upstream: Upstream<Element>) {
    self.upstream = upstream
  }

  /// How many elements the buffering policy has dropped because the consumer fell behind.
  public var droppedCount: Int { upstream.waiter.droppedCount }

  /// How far behind the consumer is: how many elements were sent to this subscription, or replayed,
  /// and neither taken nor dropped.
  ///
  /// A derived subscription counts the elements of its base, although a filter may skip some of them. For
  /// state of several states, it counts the elements of each state. The number may be outdated when it is
  /// returned, since others send and take. Reading it costs O(1), and O(the states) for derived state.
  public var pendingCount: Int { upstream.waiter.pendingCount }

  /// The next element, as soon as there is one; `nil` at the end of the channel, or if the task is
  /// cancelled.
  ///
  /// Use it to take a few elements, and `for await` to take many. Each call is a new consumer, which replaces
  /// a consumer that waits. A cancelled task takes no element that was sent after `cancel()` returned.
  public func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
    let element = await Iterator(upstream).nextUnlessCancelled(isolation: actor)
    upstream.waiter.note(.takesByHand)
    return element
  }

  /// The next element, if it comes by the deadline. Nil also at the end, if the task is cancelled, or if a newer
  /// consumer has asked.
  ///
  /// Nothing is lost if both come simultaneously: a consumer that is cancelled has either taken an
  /// element, which counts, or left it to the next.
  package func next<C: Clock<Duration>>(by deadline: C.Instant, on clock: C) async -> Element? {
    // With no time to wait nobody sleeps: on a real clock, even that would take some.
    if deadline <= clock.now { return Task.isCancelled ? nil : takeNow().element }
    return await withTaskGroup(of: Element?.self) { group in
      group.addTask { await self.next() }
      group.addTask {
        try? await clock.sleep(until: deadline, tolerance: nil)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      let second = await group.next() ?? nil
      return first ?? second
    }
  }

  /// The next element if there is one now, without waiting, or nil and what was found instead; for a
  /// new consumer if no other is given. It counts as taken by hand.
  package func takeNow(as epoch: UInt64? = nil) -> (element: Element?, result: PollResult) {
    let taken = upstream.takeNow(as: epoch ?? upstream.waiter.makeEpoch())
    if taken.element != nil { upstream.waiter.note(.takesByHand) }
    return taken
  }

  /// An iterator that continues where the last one stopped.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    let waiter = upstream.waiter
    return Iterator(upstream, epoch: waiter.makeEpoch(), end: LoopEnd.ofLoop(over: waiter))
  }

  /// Takes one element after the other.
  ///
  /// ``next(isolation:)`` does not mutate, so an iterator can be kept in a `let`. It may be called from one
  /// task after another. If a call begins while an earlier one still waits, it replaces the earlier one,
  /// which returns `nil`.
  ///
  /// It checks the task's cancellation at its first call, whenever it waits, and no later than after 64
  /// elements. So a task that is already cancelled and takes over an iterator that another has used may get
  /// an element that is ready; with ``Subscription/next(isolation:)`` it gets none.
  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline package let upstream: Upstream<Element>
    /// This consumer's number; the newer of two is the higher. `Waiter.onlyEpoch` if it has the upstream to
    /// itself.
    @usableFromInline package let epoch: UInt64
    @usableFromInline let cursor: BorrowedCursor<Element>?
    /// Tells recordings that the loop has ended; nil, as nearly always, if there are none.
    @usableFromInline let end: LoopEnd?

    @inlinable
    init(_ upstream: Upstream<Element>) {
      self.init(upstream, epoch: upstream.waiter.makeEpoch())
    }

    /// For a cursor that nothing else refers to (see `Position`).
    @inlinable
    init(alone cursor: Cursor<Element>) {
      self.init(.cursor(cursor), epoch: Waiter.onlyEpoch)
    }

    @inlinable
    init(_ upstream: Upstream<Element>, epoch: UInt64, end: LoopEnd? = nil) {
      self.upstream = upstream
      self.epoch = epoch
      self.end = end
      cursor = BorrowedCursor(upstream)
    }

    /// The next element, as soon as there is one; `nil` at the end of the channel, or if the task
    /// is cancelled.
    ///
    /// An element that is there is returned without suspending, unless the loop has kept its actor for a
    /// millisecond: then others run first.
    @inlinable
    public func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
      if let element = cursor?.take(as: epoch, heldBy: upstream) { return element }
      if cursor == nil, let element = upstream.takeDerived(as: epoch) { return element }
      return await nextUnlessCancelled(isolation: actor)
    }

    /// The next element, as ``next(isolation:)`` gives it, but looks at the task's cancellation
    /// before each: nothing is taken that was sent after `cancel()` returned.
    ///
    /// For a loop whose body takes time: a cancelled task leaves the elements to the next one.
    /// Costs some tens of nanoseconds more than ``next(isolation:)``.
    ///
    /// Apart from `next`, which is small enough to be inlined where it is called. Clients do not
    /// specialize it: with elements that are vectors of 64 bytes, the compiler (6.3.1) reserves too
    /// little room for the frames of some such specializations. In this module it is inlined: each async
    /// call on the way to the sleep costs a frame and a look at the executor.
    @inline(__always) @usableFromInline
    package func nextUnlessCancelled(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Element? {
      switch upstream {
      case .cursor(let cursor):
        while await cursor.waitForElement(as: epoch, isolation: actor) {
          if let element = cursor.takeSeen(as: epoch) { return element }
        }
        return nil
      case .derived:
        return await upstream.next(as: epoch, isolation: actor)
      }
    }
  }
}

@available(*, unavailable, message: "Each consumer makes an iterator of its own")
extension Subscription.Iterator: Sendable {}
