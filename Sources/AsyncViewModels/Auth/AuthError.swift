/// Why a sign-in returned no token. Its description is a sentence for the user.
public enum AuthError: Error, Sendable, Hashable {
  /// The server does not know this user name with this password.
  case wrongCredentials
  /// There was no answer within this time.
  case timedOut(after: Duration)
  /// The server could not be reached, or the connection broke: with a description of why.
  case unreachable(String)
  /// The server answered with another status than those for a token and for wrong credentials.
  case unexpectedStatus(Int)
  /// The server's answer could not be understood: with the reason.
  case badAnswer(String)

  /// The task was cancelled before there was an answer.
  case cancelled
}

extension AuthError: CustomStringConvertible {
  /// A sentence for the user. It contains no password.
  public var description: String {
    switch self {
    case .wrongCredentials: "The user name or the password is wrong."
    case .timedOut(let limit): "There was no answer within \(limit)."
    case .unreachable(let reason): "The server could not be reached: \(reason)"
    case .unexpectedStatus(let status): "The server answered with the unexpected status \(status)."
    case .badAnswer(let reason): "The server's answer could not be understood: \(reason)"
    case .cancelled: "The sign-in was cancelled."
    }
  }
}
