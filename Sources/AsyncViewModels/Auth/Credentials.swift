/// A user name and a password. Neither its description nor a dump of it shows the password.
public struct Credentials: Sendable, Hashable {
  public var username: String
  public var password: String

  public init(username: String, password: String) {
    self.username = username
    self.password = password
  }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "Credentials(username: \"\(username)\", password: …)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}
