/// A value among values of other types: an object, since those can be told apart for little.
class AnyBox: @unchecked Sendable {}

/// `@unchecked Sendable`, both: there is nothing but a constant.
final class Box<Value: Sendable>: AnyBox, @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
