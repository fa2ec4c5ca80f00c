/// A cursor that is kept alive by something else, for an iterator's fast path: with a reference there,
/// clients would count it up and down for each element.
@frozen @usableFromInline
struct BorrowedCursor<Element: Sendable> {
  @usableFromInline let reference: Unmanaged<Cursor<Element>>

  /// Nil for a upstream of another kind.
  @inlinable
  init?(_ upstream: Upstream<Element>) {
    guard case .cursor(let cursor) = upstream else { return nil }
    reference = .passUnretained(cursor)
  }

  /// Takes an element that is there (see `Cursor.take`).
  ///
  /// - Parameter owner: The upstream that it was made with. It holds the cursor until this returns.
  @inlinable
  func take(as epoch: UInt64, heldBy owner: Upstream<Element>) -> Element? {
    withExtendedLifetime(owner) { reference._withUnsafeGuaranteedRef { $0.take(as: epoch) } }
  }
}
