/// Which names are those of secrets: `password`, `accessToken`, `api_key`, `Token`, and what a user
/// adds.
struct SecretNames: Sendable {
  private let added: Set<String>

  init(_ added: [String] = []) {
    self.added = Set(added.map { $0.lowercased() })
  }

  func contains(_ name: String) -> Bool {
    let words = Self.words(of: name)
    return added.contains(name.lowercased()) || words.contains(where: Self.isSecret)
      || zip(words, words.dropFirst()).contains { Self.pairs.contains("\($0)\($1)") }
      || Self.pairs.contains(words.joined())
  }

  private static let singles: Set<String> = [
    "pwd", "pin", "cvc", "cvv", "otp", "jwt", "cookie", "cookies", "authorization", "bearer",
  ]
  private static let endings = [
    "password", "passwords", "passwd", "passphrase", "passcode", "secret", "secrets", "token",
    "tokens",
  ]
  private static let pairs: Set<String> = [
    "apikey", "apikeys", "privatekey", "privatekeys", "accesskey", "secretkey", "signingkey",
    "encryptionkey", "sessionid",
  ]

  private static func isSecret(_ word: String) -> Bool {
    singles.contains(word) || endings.contains(where: word.hasSuffix)
  }

  /// `accessToken`, `access_token` and `AccessToken` are two words; `URLToken` is two, too.
  private static func words(of name: String) -> [String] {
    var words: [String] = []
    var word = ""
    let characters = Array(name)
    for (index, character) in characters.enumerated() {
      let next = index + 1 < characters.count ? characters[index + 1] : nil
      let begins =
        character.isUppercase && (word.last?.isUppercase != true || next?.isLowercase == true)
      if begins || !character.isLetter {
        if !word.isEmpty { words.append(word.lowercased()) }
        word = ""
      }
      if character.isLetter { word.append(character) }
    }
    if !word.isEmpty { words.append(word.lowercased()) }
    return words
  }
}
