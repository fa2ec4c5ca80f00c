import Synchronization

extension Outlet {
  /// An outlet of the results of `transform` for each element. Use it if a protocol requires a derived stream.
  ///
  /// A derived outlet begins where its base's subscription begins, and subscribes to nothing until it is subscribed
  /// to. The buffering policy applies to the base's elements. The closure runs once for each element and subscriber,
  /// in the consumer's task: in order and one at a time, except that a newer consumer of a subscription does not wait
  /// for a closure that the older one is still in.
  ///
  /// For other operators, use swift-async-algorithms: an `Outlet` is an `AsyncSequence`.
  @inlinable
  public func map<Mapped>(
    _ transform: @escaping @Sendable (Element) -> Mapped
  ) -> Outlet<Mapped> {
    deriving { { element, _ in transform(element) } }
  }

  /// An outlet of the elements that satisfy `isIncluded`. The closure runs as that of ``map(_:)`` does.
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Element) -> Bool) -> Outlet {
    deriving { { element, _ in isIncluded(element) ? element : nil } }
  }

  /// An outlet of the results of `transform` for each element, without those that are `nil`. The closure runs as that
  /// of ``map(_:)`` does.
  @inlinable
  public func compactMap<Mapped>(
    _ transform: @escaping @Sendable (Element) -> Mapped?
  ) -> Outlet<Mapped> {
    deriving { { element, _ in transform(element) } }
  }

  /// - Parameter makeStep: Called once for each subscription; a step may have a memory.
  @inlinable
  func deriving<Derived>(
    _ makeStep: @escaping @Sendable () -> @Sendable (Element, _ epoch: UInt64) -> Derived?
  ) -> Outlet<Derived> {
    Outlet<Derived>(of: { logs }) { policy in upstream(buffering: policy).deriving(makeStep()) }
  }
}

extension Outlet where Element: Equatable {
  /// An outlet without the elements that equal the one before.
  ///
  /// Each subscription compares its own elements, so its first element is always delivered. It keeps its
  /// last element, to compare the next with.
  public func removeDuplicates() -> Outlet {
    deriving {
      let previous = Previous<Element>()
      return { element, epoch in previous.isReplaced(by: element, epoch) ? element : nil }
    }
  }
}
