import AsyncChannelsRecording
import AsyncChannelsRunning
import AsyncViewModels

#if !os(WASI)
  import Foundation
#endif

/// Signing in: a user name, then a password, and how it ended.
struct AuthDemo: Demo {
  static let name = "auth"
  static let summary = "reads a user name, then a password, and signs in"
  static let help = """
    usage: asyncdemo auth [--url URL]

    Reads a user name and then a password from standard input, and signs in. Repeats this until the input
    ends. On a terminal the password is not echoed.

      --url URL   posts {"username": …, "password": …} to this address. Without it, there is one user:
                  iankeen, whose password is super_secret_password.

    """
  static let script = ["iankeen", "wrong", "iankeen", "super_secret_password"]

  private let console: Console
  private let lines: any LineSource
  private let viewModel: any AuthViewModelType
  private let results: Subscription<Result<Token, AuthError>>

  init(console: Console, lines: any LineSource, arguments: [String]) throws {
    self.console = console
    self.lines = lines
    viewModel = AuthViewModel(authenticator: try Self.authenticator(arguments))
    results = viewModel.signInResult.subscribe()
  }

  private static func authenticator(_ arguments: [String]) throws -> any Authenticator {
    guard let option = arguments.first else { return BuiltInAuthenticator() }
    let isWhole = option.hasPrefix("--url=")
    guard isWhole || option == "--url" else {
      throw UsageError("'auth' takes no argument \(option.quoted)", help: help)
    }
    #if os(WASI)
      throw UsageError("'--url' needs a connection, and WASI has none", help: help)
    #else
      let value = isWhole ? String(option.dropFirst("--url=".count)) : arguments.dropFirst().first
      guard arguments.count == (isWhole ? 1 : 2), let url = value.flatMap(URL.init(string:)),
        ["http", "https"].contains(url.scheme?.lowercased()), url.host() != nil
      else {
        throw UsageError(
          "'--url' takes one address that begins with http:// or https://", help: help)
      }
      return HTTPAuthenticator(url: url)
    #endif
  }

  func record(in recording: Recording) async {
    recording.add(viewModel)
  }

  func run() async throws {
    try await withRunning(viewModel) {
      while let credentials = try await readCredentials() {
        viewModel.signIn.send(credentials)
        guard let result = await results.next() else { return }
        let text =
          switch result {
          case .success: console.bold("Signed in.")
          case .failure(let error): "Not signed in. \(error.description.printable)"
          }
        try console.write(text + "\n")
      }
    }
  }

  private func readCredentials() async throws -> Credentials? {
    guard let username = try await read("User name: ", isSecret: false) else { return nil }
    guard let password = try await read("Password: ", isSecret: true) else {
      try console.write("There was a user name, but no password.\n")
      return nil
    }
    return Credentials(username: username, password: password)
  }

  /// A line that is text; others are refused, and asked for again.
  private func read(_ prompt: String, isSecret: Bool) async throws -> String? {
    while let line = try await lines.next(prompt: prompt, isSecret: isSecret) {
      if case .text(let text) = line { return text }
      try console.write((line.problem ?? "") + "\n")
    }
    return nil
  }
}

/// Knows one user, and needs no server.
private struct BuiltInAuthenticator: Authenticator {
  func authenticate(_ credentials: Credentials) async throws(AuthError) -> Token {
    let known = Credentials(username: "iankeen", password: "super_secret_password")
    guard credentials == known else { throw .wrongCredentials }
    return Token("token of \(known.username)")
  }
}
