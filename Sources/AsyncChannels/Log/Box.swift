/// A value among values of other types: an object, since those can be told apart for little.
@_fixed_layout @usableFromInline
class AnyBox: @unchecked Sendable {
  @inlinable
  init() {}

  /// - Parameter type: That with which it was made.
  @inlinable
  final func value<Value: Sendable>(as type: Value.Type) -> Value {
    unsafeDowncast(self, to: Box<Value>.self).value
  }
}

/// `@unchecked Sendable`, both: there is nothing but a constant.
@_fixed_layout @usableFromInline
final class Box<Value: Sendable>: AnyBox, @unchecked Sendable {
  @usableFromInline let value: Value

  @inlinable
  init(_ value: Value) {
    self.value = value
  }
}
