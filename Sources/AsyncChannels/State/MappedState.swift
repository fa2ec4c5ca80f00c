/// State that is what a function makes of another.
///
/// The functions that it is made with capture nothing, so making it allocates hardly more than itself.
@_fixed_layout @usableFromInline
final class MappedState<Base: Sendable, Value: Sendable>: DerivedState<Value>, @unchecked Sendable {
  @usableFromInline let base: BorrowedState<Base>
  @usableFromInline let transform: @Sendable (Base) -> Value

  @inlinable
  init(of base: StateOutlet<Base>, _ transform: @escaping @Sendable (Base) -> Value) {
    self.base = BorrowedState(base)
    self.transform = transform
    let follow: Follow = { state, policy in
      let state = unsafeDowncast(state, to: MappedState.self)
      let transform = state.transform
      return state.base.feed(buffering: policy).deriving { value, _ in transform(value) }
    }
    super.init(
      of: StateParts(StatePart(base)), base.shape.next,
      read: { state in
        let state = unsafeDowncast(state, to: MappedState.self)
        return state.transform(state.base.value)
      },
      follow: base.isFollowedAlone ? follow : nil,
      refresh: { cell in
        cell.state?._withUnsafeGuaranteedRef { state in
          cell.set(unsafeDowncast(state, to: MappedState.self).transform(cell.base(0, as: Base.self)))
        } ?? false
      })
  }
}
