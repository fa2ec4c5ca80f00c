/// A value among values of other types. An object: those can be told apart for little.
@usableFromInline typealias AnyBox = any AnyObject & Sendable

/// `_fixed_layout`: as `Cursor`.
@_fixed_layout @usableFromInline
final class Box<Value: Sendable>: Sendable {
  @usableFromInline let value: Value

  @inlinable
  init(_ value: Value) {
    self.value = value
  }

  /// That of a box that is known to have such a value.
  @inlinable
  static func value(in box: AnyBox) -> Value { unsafeDowncast(box, to: Box.self).value }
}
