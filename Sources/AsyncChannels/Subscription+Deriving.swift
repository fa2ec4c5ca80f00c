extension Subscription {
  /// This subscription with `transform` applied to each element. Use it to let `answer` work on another form of an
  /// input.
  ///
  /// Both are one place in the stream, with one consumer: what neither has taken stays for the next. So a call of
  /// `answer` that is cancelled during its pause loses nothing. The closure runs once for each element that is taken,
  /// in the consumer's task.
  @inlinable
  public func map<Mapped>(
    _ transform: @escaping @Sendable (Element) -> Mapped
  ) -> Subscription<Mapped> {
    deriving { element, _ in transform(element) }
  }

  /// This subscription without the elements that do not satisfy `isIncluded`. Everything else is as with ``map(_:)``.
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Element) -> Bool) -> Subscription {
    deriving { element, _ in isIncluded(element) ? element : nil }
  }

  /// The results of `transform` for each element, without those that are `nil`. Everything else is as with ``map(_:)``.
  @inlinable
  public func compactMap<Mapped>(
    _ transform: @escaping @Sendable (Element) -> Mapped?
  ) -> Subscription<Mapped> {
    deriving { element, _ in transform(element) }
  }

  @inlinable
  func deriving<Derived>(
    _ step: @escaping @Sendable (Element, _ epoch: UInt64) -> Derived?
  ) -> Subscription<Derived> {
    Subscription<Derived>(upstream.deriving(step))
  }
}

extension Subscription where Element: Equatable {
  /// This subscription without the elements that equal the one before. Each call compares the elements from then on,
  /// so the first is always given. Everything else is as with ``map(_:)``.
  public func removeDuplicates() -> Subscription {
    let previous = Previous<Element>()
    return deriving { previous.isReplaced(by: $0, $1) ? $0 : nil }
  }
}

// The standard library's operators would take an element and lose it if they are cancelled, and `answer` would not know
// what waits.
extension Subscription {
  /// Not available: filter without suspending, or leave the decision to the work.
  @available(*, unavailable, message: "A closure that suspends belongs into the work of 'answer'.")
  public func filter(
    _ isIncluded: @escaping @Sendable (Element) async -> Bool
  ) -> AsyncFilterSequence<Subscription> { fatalError() }

  /// Not available: transform without suspending, or in the work.
  @available(*, unavailable, message: "A closure that suspends belongs into the work of 'answer'.")
  public func map<Mapped>(
    _ transform: @escaping @Sendable (Element) async -> Mapped
  ) -> AsyncMapSequence<Subscription, Mapped> { fatalError() }

  /// Not available: transform without suspending, or in the work.
  @available(*, unavailable, message: "A closure that suspends belongs into the work of 'answer'.")
  public func compactMap<Mapped>(
    _ transform: @escaping @Sendable (Element) async -> Mapped?
  ) -> AsyncCompactMapSequence<Subscription, Mapped> { fatalError() }
}
