/// Why a command to the manager changed nothing.
public enum MemberFailure: Error, Sendable, Hashable {
  /// The name is blank, or it is "invalid name".
  case invalidName
}
