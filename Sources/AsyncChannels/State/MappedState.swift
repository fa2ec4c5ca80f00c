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
    let follow: Follow = { node, policy in
      let node = unsafeDowncast(node, to: MappedState.self)
      let transform = node.transform
      return node.base.outlet.feed(buffering: policy).deriving { value, _ in transform(value) }
    }
    super.init(
      of: StateParts(base.part),
      read: { node in
        let node = unsafeDowncast(node, to: MappedState.self)
        return node.transform(node.base.value)
      }, follow: base.isFollowedAlone ? follow : nil,
      refresh: { cell in
        cell.node?._withUnsafeGuaranteedRef { node in
          let transform = unsafeDowncast(node, to: MappedState.self).transform
          return cell.set(transform(cell.base(0, as: Base.self)))
        } ?? false
      })
  }
}
