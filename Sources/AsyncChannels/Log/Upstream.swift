/// What an iterator pulls from: a cursor, or a cursor seen through the steps of derived outlets.
@usableFromInline
package enum Upstream<Element: Sendable>: Sendable {
  case cursor(Cursor<Element>)
  /// A cursor on other elements, and a function that takes one of these from it without waiting.
  case derived(Waiter, take: @Sendable (_ mode: TakeMode, _ epoch: UInt64) -> Taken)

  /// What a take found. *Skipped* differs from *nothing*: there may be more elements behind it.
  @usableFromInline
  package enum Taken: Sendable {
    case element(Element), skipped, nothing
  }

  @inlinable
  package var waiter: Waiter {
    switch self {
    case .cursor(let cursor): cursor
    case .derived(let waiter, _): waiter
    }
  }

  /// This upstream with `step` applied to each element; those that it makes nil are skipped.
  ///
  /// A step runs when its element was taken, with no lock held: however long it takes, a
  /// newer consumer need not wait for it. So a step that remembers something may be called late, by
  /// a consumer that was displaced meanwhile. It sees that by the epoch, which is lower then.
  @inlinable
  func deriving<Derived>(
    _ step: @escaping @Sendable (Element, _ epoch: UInt64) -> Derived?
  ) -> Upstream<Derived> {
    .derived(waiter) { mode, epoch in
      switch take(mode, as: epoch) {
      case .element(let element):
        if let derived = step(element, epoch) { .element(derived) } else { .skipped }
      case .skipped: .skipped
      case .nothing: .nothing
      }
    }
  }

  /// The element of a derived upstream that can be taken immediately; nil if there is none, or if a step skips it.
  ///
  /// Not inlined: with elements that are vectors of 64 bytes, the compiler (6.3.1) would reserve too little room in the
  /// frames of clients that call `next()`.
  @inlinable @inline(never)
  func takeDerived(as epoch: UInt64) -> Element? {
    if case .element(let element) = take(.atOnce, as: epoch) { element } else { nil }
  }

  /// Takes an element that is there for a listener, and calls its function with it.
  @inlinable
  func deliver(_ mode: TakeMode, as epoch: UInt64, to body: (Element) -> Void) -> Listener.Step {
    switch self {
    case .cursor(let cursor):
      // What is known to be there comes without a lock.
      let element =
        mode == .next
        ? cursor.take(as: epoch) ?? cursor.takeSeen(as: epoch) : cursor.take(mode, as: epoch)
      guard let element else { return .nothing }
      body(element)
    case .derived(_, let take):
      if mode == .next, case .element(let element) = take(.atOnce, epoch) {
        body(element)
        return .called
      }
      switch take(mode, epoch) {
      case .element(let element): body(element)
      case .skipped: return .skipped
      case .nothing: return .nothing
      }
    }
    return .called
  }

  /// The next element that is not skipped, as soon as there is one. Looks at the task's
  /// cancellation before it takes one.
  func next(as epoch: UInt64, isolation: isolated (any Actor)?) async -> Element? {
    while true {
      if waiter.isOthersTurn(as: epoch, isolation: isolation) { await Task.yield() }
      switch take(.next, as: epoch) {
      case .element(let element): return element
      case .skipped: if Task.isCancelled { return nil }
      case .nothing:
        guard await waiter.waitForElement(as: epoch, isolation: isolation) else { return nil }
      }
    }
  }

  /// A copy of the newest element, which stays there. Nil if there is none, or a step skips it.
  package var newest: Element? {
    if case .element(let element) = take(.peek, as: 0) { element } else { nil }
  }

  /// The next element if there is one now, without waiting, even if the task is cancelled.
  ///
  /// - Returns: The element, or nil and what was found instead.
  func takeNow(as epoch: UInt64) -> (element: Element?, result: PollResult) {
    while true {
      switch take(.evenIfCancelled, as: epoch) {
      case .element(let element): return (element, .readable)
      case .skipped: continue
      case .nothing:
        let result = waiter.poll(as: epoch)
        if result != .readable { return (nil, result) }
      }
    }
  }

  /// Takes elements that are there, one after the other: those that are skipped count. Ends when there
  /// are no more, the task is cancelled or a newer consumer has asked; what was taken is given.
  @inlinable
  func takeUpTo(_ count: Int, as epoch: UInt64) -> [Element] {
    var elements: [Element] = []
    var left = count
    while left > 0 {
      // A cursor goes the slow way at the end of a segment only.
      if case .cursor(let cursor) = self {
        left -= cursor.takeUpTo(left, as: epoch, into: &elements)
        if left == 0 { break }
      }
      switch take(.more, as: epoch) {
      case .element(let element): elements.append(element)
      case .skipped: break
      case .nothing: return elements
      }
      left -= 1
    }
    return elements
  }

  /// Takes an element that is there, without waiting.
  @inlinable
  package func take(_ mode: TakeMode, as epoch: UInt64) -> Taken {
    switch self {
    case .cursor(let cursor):
      let element =
        mode == .atOnce
        ? cursor.takeUnlessCancelled(as: epoch) : cursor.take(mode, as: epoch)
      if let element { return .element(element) } else { return .nothing }
    case .derived(_, let take): return take(mode, epoch)
    }
  }
}
