/// What a successful sign-in gives. Neither its description nor a dump of it shows the value.
public struct Token: Sendable, Hashable {
  /// The token itself. No description shows it.
  public let value: String

  /// Makes a token of what a server sent.
  public init(_ value: String) {
    self.value = value
  }
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Says that there is a token, and not which.
  public var description: String { "Token(…)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Shows nothing, in a debugger and in `dump`.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
