/// Everything that is ready, at each step: for a consumer to whom many elements cost as much as one.
///
/// ```swift
/// for await changes in viewModel.changes.batches { table.apply(changes) }           // renders once
/// for await commands in _commands.received.batches(ofAtMost: 64) { … }              // one transaction
/// ```
///
/// Each step waits until there is an element, and gives all that have come by then, at least one, in
/// order. `.bufferingNewest(1)` would drop what lies between; this merges it without loss. Made by
/// ``Outlet/batches(ofAtMost:)``, and of a state or a subscription likewise.
///
/// Each loop over the batches of an outlet is a subscription, with the channel's policy; the batches of a
/// ``Subscription`` are taken from that, so loops over them follow each other as its own loops do.
///
/// - **Cancel**: what a step has taken, it gives. A task that is cancelled while it waits, or was before,
///   takes nothing, and leaves all to the next consumer. The same holds for one that is displaced.
/// - **Finish**: what was sent before is given, then the loop ends.
/// - **Overflow**: the policy applies to single elements.
/// - **Costs**: a step is one look under the lock, an array, and taking each element.
public struct Batches<Element: Sendable>: AsyncSequence, Sendable {
  let subscribe: @Sendable () -> Subscription<Element>
  let maximum: Int

  /// - Parameter subscribe: Called for each loop.
  init(ofAtMost maximum: Int, _ subscribe: @escaping @Sendable () -> Subscription<Element>) {
    if maximum < 1 {
      Diagnostics.programmerError(
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

    /// What is ready, as soon as something is; `nil` at the end, or if the task is cancelled.
    @inlinable
    public func next(isolation actor: isolated (any Actor)? = #isolation) async -> [Element]? {
      while let count = await waitForElements(isolation: actor) {
        let batch = elements.feed.takeUpTo(count, as: elements.ticket)
        // All that there was may have been skipped by a filter, or taken by a newer consumer.
        if !batch.isEmpty { return batch }
      }
      return nil
    }

    /// Returns how many to take; nil at the end, if the task is cancelled or a newer consumer has asked.
    ///
    /// What is sent after it returns is for the next step: or a fast sender would keep this one for ever.
    @usableFromInline
    func waitForElements(isolation actor: isolated (any Actor)?) async -> Int? {
      let waiter = elements.feed.waiter
      guard await waiter.waitForElement(as: elements.ticket, isolation: actor) else { return nil }
      let count = Swift.min(elements.feed.pendingCount, maximum)
      // All that is counted was sent before this look, and so not after `cancel()` has returned, but for
      // what has replaced it since, with `.bufferingNewest`.
      return Task.isCancelled ? nil : count
    }
  }
}

@available(*, unavailable, message: "Each consumer makes an iterator of its own")
extension Batches.Iterator: Sendable {}

extension Outlet {
  /// All that is ready, at each step. See ``Batches``.
  public var batches: Batches<Element> { batches(ofAtMost: .max) }

  /// All that is ready, at each step, and at most so many: the rest is for the next step.
  ///
  /// - Parameter maximum: Traps if it is less than 1.
  public func batches(ofAtMost maximum: Int) -> Batches<Element> {
    Batches(ofAtMost: maximum) { subscribe() }
  }
}

extension Subscription {
  /// All that is ready, at each step. See ``Batches``.
  public var batches: Batches<Element> { batches(ofAtMost: .max) }

  /// All that is ready, at each step, and at most so many: the rest is for the next step.
  ///
  /// - Parameter maximum: Traps if it is less than 1.
  public func batches(ofAtMost maximum: Int) -> Batches<Element> {
    Batches(ofAtMost: maximum) { self }
  }
}
