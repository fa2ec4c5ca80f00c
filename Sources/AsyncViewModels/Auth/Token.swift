/// What a successful sign-in gives.
public struct Token: Sendable, Hashable {
  public let value: String

  public init(_ value: String) {
    self.value = value
  }
}
