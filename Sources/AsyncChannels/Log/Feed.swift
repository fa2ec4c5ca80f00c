/// What an iterator pulls from: a cursor, or a cursor seen through the steps of derived outlets.
@usableFromInline
enum Feed<Element: Sendable>: Sendable {
  case cursor(Cursor<Element>)
  case derived(DerivedFeed<Element>)

  /// What a take found. A skipped element is not nothing: there may be more behind it.
  enum Taken {
    case element(Element), skipped, nothing
  }

  @inlinable
  var cursor: AnyCursor {
    switch self {
    case .cursor(let cursor): cursor
    case .derived(let derived): derived.cursor
    }
  }

  /// This feed with `step` applied to each element; what it makes nil is skipped.
  ///
  /// A step runs while its consumer has the lease: one call at a time, in order.
  func deriving<Derived>(_ step: @escaping @Sendable (Element) -> Derived?) -> Feed<Derived> {
    .derived(
      DerivedFeed(cursor: cursor) {
        switch take() {
        case .element(let element): step(element).map(Feed<Derived>.Taken.element) ?? .skipped
        case .skipped: .skipped
        case .nothing: .nothing
        }
      })
  }

  /// The next element if there is one now, without waiting, even if the task is cancelled.
  ///
  /// - Returns: The element; or whether the end was reached instead.
  func takeNow(as ticket: UInt64) -> (element: Element?, isAtEnd: Bool) {
    guard cursor.lease.acquire(ticket, evenIfCancelled: true) else { return (nil, false) }
    defer { cursor.lease.release(ticket) }
    while true {
      switch take() {
      case .element(let element): return (element, false)
      case .skipped: continue
      case .nothing:
        let look = cursor.look()
        if look != .readable { return (nil, look == .finished) }
      }
    }
  }

  private func take() -> Taken {
    switch self {
    case .cursor(let cursor): cursor.take().map(Taken.element) ?? .nothing
    case .derived(let derived): derived.take()
    }
  }
}

/// A cursor of some other element, and how to take one of these from it.
@usableFromInline
struct DerivedFeed<Element: Sendable>: Sendable {
  @usableFromInline let cursor: AnyCursor
  /// Requires the cursor's lease.
  let take: @Sendable () -> Feed<Element>.Taken

  /// The next element that is not skipped. Looks at the task's cancellation before each.
  @usableFromInline
  func next(as ticket: UInt64, isolation: isolated (any Actor)?) async -> Element? {
    guard cursor.lease.acquire(ticket) else { return nil }
    while !Task.isCancelled {
      switch take() {
      case .element(let element):
        cursor.lease.release(ticket)
        return element
      case .skipped:
        continue
      case .nothing:
        switch await cursor.sleep(as: ticket, isolation: isolation) {
        case .lookAgain:
          continue
        case .finished:
          cursor.lease.release(ticket)
          return nil
        case .gaveUp:
          return nil
        }
      }
    }
    cursor.lease.release(ticket)
    return nil
  }
}
