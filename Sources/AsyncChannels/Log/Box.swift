/// A value among values of other types. An object: those can be told apart for little.
@usableFromInline package typealias AnyBox = any AnyObject & Sendable

/// `_fixed_layout`: as `Cursor`.
@_fixed_layout @usableFromInline
package final class Box<Value: Sendable>: Sendable {
  @usableFromInline let value: Value

  @inlinable
  package init(_ value: Value) {
    self.value = value
  }

  /// That of a box that is known to have such a value.
  @inlinable
  package static func value(in box: AnyBox) -> Value { unsafeDowncast(box, to: Box.self).value }
}
