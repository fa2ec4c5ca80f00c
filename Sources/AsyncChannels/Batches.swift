/// An asynchronous sequence whose elements are arrays of everything that has arrived since the last one. Use it when
/// handling many elements at once costs no more than handling one.
///
/// ```swift
/// for await changes in viewModel.changes.batches() { table.apply(changes) }           // renders once
/// for await commands in _commands.received.batches(ofAtMost: 64) { … }              // one transaction
/// ```
///
/// Each step waits until there is an element, and gives all that have arrived by then, at least one, in
/// order. ``Outlet/batches(ofAtMost:)`` makes it, and so does a subscription's. `.bufferingNewest(1)` would drop
/// elements in between; batches lose none.
///
/// Each loop over the batches of an outlet is a subscription of its own, with the channel's policy. The batches of a
/// ``Subscription`` take from that subscription, which has one consumer at a time.
///
/// - **Cancel**: a step gives the elements that it has already taken. A task that is cancelled before a step, or while
///   the step waits, takes nothing, and leaves all elements to the next consumer. A newer consumer has the same effect.
/// - **Finish**: elements that were sent before it are given. Then the loop ends.
/// - **Overflow**: the policy applies to single elements.
/// - **Costs**: a step takes the lock once, makes an array, and takes each element.
public struct Batches<Element: Sendable>: AsyncSequence, Sendable {
  let subscribe: @Sendable () -> Subscription<Element>
  let maximum: Int

  /// - Parameter subscribe: Called for each loop.
  init(ofAtMost maximum: Int, _ subscribe: @escaping @Sendable () -> Subscription<Element>) {
    if maximum < 1 {
      Misuse.trap(
        "A batch of \(Element.self) cannot have at most \(maximum) elements: it has at least 1.")
    }
    self.subscribe = subscribe
    self.maximum = maximum
  }

  /// An iterator with a subscription of its own, or one that takes from the subscription that this is
  /// made of.
  public func makeAsyncIterator() -> Iterator {
    Iterator(elements: subscribe().makeAsyncIterator(), maximum: maximum)
  }

  /// Takes one batch after the other.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let elements: Subscription<Element>.Iterator
    let maximum: Int

    /// The elements that are ready, as soon as there is one; `nil` after the end, or if the task is
    /// cancelled.
    @inlinable
    public func next(isolation actor: isolated (any Actor)? = #isolation) async -> [Element]? {
      while let count = await waitForElements(isolation: actor) {
        let batch = elements.upstream.takeUpTo(count, as: elements.epoch)
        // All that there was may have been skipped by a filter, or taken by a newer consumer.
        if !batch.isEmpty { return batch }
      }
      return nil
    }

    /// Returns how many to take; nil at the end, if the task is cancelled or a newer consumer has asked.
    ///
    /// Elements that are sent after it returns are for the next step. Otherwise a fast sender would keep this
    /// step busy forever.
    @usableFromInline
    func waitForElements(isolation actor: isolated (any Actor)?) async -> Int? {
      let waiter = elements.upstream.waiter
      guard await waiter.waitForElement(as: elements.epoch, isolation: actor) else { return nil }
      let count = Swift.min(elements.upstream.waiter.pendingCount, maximum)
      // All that is counted was sent before this look, and so not after `cancel()` has returned, but for
      // what has replaced it since, with `.bufferingNewest`.
      return Task.isCancelled ? nil : count
    }
  }
}

@available(*, unavailable, message: "Each consumer makes an iterator of its own")
extension Batches.Iterator: Sendable {}

extension Outlet {
  /// Arrays of what has arrived meanwhile, for a loop to which many elements cost as much as one. It subscribes when
  /// the loop begins. What `maximum` leaves is for the next step. See ``Batches``.
  ///
  /// - Parameter maximum: Without it, all that are ready. Traps if it is less than 1.
  public func batches(ofAtMost maximum: Int = .max) -> Batches<Element> {
    Batches(ofAtMost: maximum) { subscribe() }
  }
}

extension Subscription {
  /// Arrays of what waits in this subscription, for a loop to which many elements cost as much as one. What `maximum`
  /// leaves is for the next step. See ``Batches``.
  ///
  /// - Parameter maximum: Without it, all that are ready. Traps if it is less than 1.
  public func batches(ofAtMost maximum: Int = .max) -> Batches<Element> {
    Batches(ofAtMost: maximum) { self }
  }
}
