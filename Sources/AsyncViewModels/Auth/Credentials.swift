/// A user name and a password. Neither its description nor a dump of it shows the password.
public struct Credentials: Sendable, Hashable {
  /// The name, as the user typed it.
  public var username: String

  /// The password, as the user typed it. No description shows it.
  public var password: String

  /// Makes credentials from what the user typed.
  public init(username: String, password: String) {
    self.username = username
    self.password = password
  }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The user name, without the password.
  public var description: String { "Credentials(username: \"\(username)\", password: …)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Shows the user name alone, in a debugger and in `dump`.
  public var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}
