import Synchronization

/// What a subscription got last, to compare the next with.
final class Previous<Element: Sendable & Equatable>: Sendable {
  private let state = Locked<(element: Element?, epoch: UInt64)>((nil, 0))

  /// Remembers an element. True if it differs from the one before, or there was none.
  ///
  /// A displaced consumer may call this late, with an element that it took before the newer
  /// consumer took more. That element counts as different, and is not remembered.
  func isReplaced(by element: Element, _ epoch: UInt64) -> Bool {
    let old = state.withLock { state -> Element? in
      // None differs from each element. With no epoch, it is only looked at.
      guard epoch >= state.epoch, epoch > 0 else { return nil }
      let old = state.element
      state = (element, epoch)
      return old
    }
    // Compared, and destroyed, with no lock held: both run code of the element.
    return old != element
  }
}
