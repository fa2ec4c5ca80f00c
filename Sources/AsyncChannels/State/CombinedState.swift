/// State that is a pair of the values of two states. Its functions capture nothing, like those of `MappedState`.
@_fixed_layout @usableFromInline
final class CombinedState<First: Sendable, Second: Sendable>:
  DerivedState<(First, Second)>, @unchecked Sendable
{
  @usableFromInline let first: BorrowedState<First>
  @usableFromInline let second: BorrowedState<Second>

  @inlinable
  init(of first: StateOutlet<First>, _ second: StateOutlet<Second>) {
    (self.first, self.second) = (BorrowedState(first), BorrowedState(second))
    super.init(
      of: StateParts(first.part, second.part),
      read: { node in
        let node = unsafeDowncast(node, to: CombinedState.self)
        return (node.first.value, node.second.value)
      }, refresh: { $0.set(($0.base(0, as: First.self), $0.base(1, as: Second.self))) })
  }
}
