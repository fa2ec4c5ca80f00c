import AsyncViewModels

/// What the pages work with, behind the window. This stands for servers and databases.
nonisolated struct Services: Authenticator {
  let manager = DefaultMemberManager()
  /// How long a filter takes for one text.
  var filterDelay = Duration.zero
  var signInDelay = Duration.seconds(2)
  let names = (1...10_000).map { number in
    let first = ["Ann", "Bob", "Cy", "Dora", "Eve", "Fred", "Gil", "Hana", "Ida", "Jo"]
    let last = ["Archer", "Baker", "Cook", "Dyer", "Farmer", "Hunter", "Mason", "Smith", "Tyler"]
    return "\(first[number % first.count]) \(last[number % last.count]) \(number)"
  }

  func passes(_ text: String) async -> Bool {
    if filterDelay > .zero { try? await Task.sleep(for: filterDelay) }
    return text.count > 3
  }

  func authenticate(_ credentials: Credentials) async throws(AuthError) -> Token {
    do {
      try await Task.sleep(for: signInDelay)
    } catch {
      throw .cancelled
    }
    guard credentials == Credentials(username: "ann", password: "secret") else {
      throw .wrongCredentials
    }
    return Token("demo")
  }
}
