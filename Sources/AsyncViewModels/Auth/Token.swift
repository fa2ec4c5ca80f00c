/// What a successful sign-in gives. Neither its description nor a dump of it shows the value.
public struct Token: Sendable, Hashable {
  public let value: String

  public init(_ value: String) {
    self.value = value
  }
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "Token(…)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
