/// The result of a successful sign-in. Neither its description nor a dump of it shows the value.
public struct Token: Sendable, Hashable {
  /// The token itself. No description shows it.
  public let value: String

  /// Makes a token from the text that a server sent.
  public init(_ value: String) {
    self.value = value
  }
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Says that there is a token, without its value.
  public var description: String { "Token(…)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Shows nothing, in a debugger and in `dump`.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
