import AsyncChannels
import Synchronization

/// Which names are those of secrets: `password`, `accessToken`, `api_key`, `Token`, and what a user
/// adds.
///
/// Names are compared word by word (see `NameWords`), so `_iban`, `userIBAN` and `ibans` are hidden
/// where `iban` is.
struct SecretNames: Sendable {
  enum Secrecy: Sendable {
    case none
    /// A text under this name is secret; a value with named parts is looked into.
    case ofText
    case ofAll
  }

  private let added: [[String]]
  private let known = KnownNames()

  init(_ added: [String] = []) {
    self.added = added.map { words in
      let parts = NameWords.of(words)
      return parts.isEmpty ? [words] : parts
    }
  }

  func contains(_ name: String) -> Bool { secrecy(of: name) == .ofAll }

  /// The same for a name in the program's source. There are few of these, so they are looked up.
  ///
  /// - Parameter outer: The name of what it is in. Both together may be that of a secret: `number` in a `card`.
  func secrecy(ofLabel name: String, in outer: String) -> Secrecy {
    if outer.isEmpty { return known.secrecy(of: name) { secrecy(of: name) } }
    return known.secrecy(of: "\(outer) \(name)") {
      let alone = secrecy(of: name)
      return alone == .none && join(outer, name) ? .ofAll : alone
    }
  }

  func secrecy(of name: String) -> Secrecy {
    let words = NameWords.of(name)
    if isAdded(name, words) || isSecret(words) { return .ofAll }
    return words.count == 1 && Self.ofText.contains(words[0]) ? .ofText : .none
  }

  private func join(_ outer: String, _ inner: String) -> Bool {
    guard let last = NameWords.of(outer).last, let first = NameWords.of(inner).first else {
      return false
    }
    return Self.pairs.contains(last + first)
  }

  /// Whether a value under the name of a secret tells nothing of it: `hasPassword: true`, `tokenCount: 3`.
  func isHarmless(_ value: Any, under name: String) -> Bool {
    let words = NameWords.of(name)
    guard !isAdded(name, words) else { return false }
    if value is Bool { return words.first.map(Self.questions.contains) ?? false }
    guard words.last.map(Self.measures.contains) ?? false else { return false }
    return value is any BinaryInteger || value is any BinaryFloatingPoint || value is Duration
  }

  private func isAdded(_ name: String, _ words: [String]) -> Bool {
    guard !added.isEmpty else { return false }
    let joined = words.joined()
    return added.contains { hidden in
      hidden == [name] || hidden.joined() == joined || words.contains(hidden)
    }
  }

  private func isSecret(_ words: [String]) -> Bool {
    words.contains(where: Self.isSecret)
      || zip(words, words.dropFirst()).contains { one, next in
        Self.pairs.contains(one + next) || Self.endings.contains(one + next)
      }
      || Self.isPass(words)
  }

  private static func isSecret(_ word: String) -> Bool {
    singles.contains(word) || endings.contains(where: word.hasSuffix)
      || word.count > 5 && pairs.contains { $0.count > 5 && word.hasSuffix($0) }
  }

  /// `pass` and `userPass`, not `passThrough`.
  private static func isPass(_ words: [String]) -> Bool {
    words.last == "pass" && words.dropLast().allSatisfy(whose.contains)
  }

  private static let questions: Set<String> = ["is", "has", "are", "can", "should"]
  private static let measures: Set<String> = [
    "count", "length", "limit", "size", "index", "expiry", "expiration", "age", "lifetime",
    "duration", "attempt", "retry", "strength", "score",
  ]
  private static let whose: Set<String> = [
    "user", "db", "database", "my", "new", "old", "admin", "root", "login", "smtp", "ftp", "http",
    "proxy", "current", "wifi", "account",
  ]
  private static let ofText: Set<String> = [
    "credential", "auth", "oauth", "session", "signature",
  ]
  private static let singles: Set<String> = [
    "pwd", "pw", "pin", "cvc", "cvv", "csc", "otp", "totp", "hotp", "jwt", "jwe", "cookie", "iban",
    "ssn", "csrf", "xsrf", "authorization", "bearer", "mnemonic", "nonce", "keychain", "passkey",
  ]
  private static let endings = [
    "password", "passwd", "passphrase", "passcode", "secret", "token", "passwort", "kennwort",
    "contraseña", "senha",
  ]
  private static let pairs: Set<String> = [
    "apikey", "privatekey", "accesskey", "secretkey", "signingkey", "encryptionkey", "sessionkey",
    "sshkey", "masterkey", "symmetrickey", "sharedkey", "hostkey", "authkey", "licensekey",
    "recoverykey", "backupkey", "deploykey", "sessionid", "authheader", "authcode", "authdata",
    "cardnumber", "accountnumber", "routingnumber", "securitynumber", "passportnumber", "taxid",
    "securitycode", "recoverycode", "verificationcode", "confirmationcode", "timecode",
    "factorcode",
    "facode", "mfacode", "smscode", "backupcode", "pincode", "accesscode", "logincode", "resetcode",
    "authorizationcode", "seedphrase", "recoveryphrase", "secretphrase", "backupphrase", "seedword",
    "recoveryword", "securityanswer", "secretanswer", "connectionstring", "clientcertificate",
  ]
}

extension [String] {
  /// Whether the others are among these, side by side.
  fileprivate func contains(_ others: [String]) -> Bool {
    guard !others.isEmpty, count >= others.count else { return false }
    return (0...(count - others.count)).contains { Array(self[$0..<($0 + others.count)]) == others }
  }
}

/// The names in a program's source, looked at once each.
private final class KnownNames: Sendable {
  private let names = Locked<[String: SecretNames.Secrecy]>([:])
  /// A custom mirror can make up as many names as it likes.
  private static let limit = 4096

  func secrecy(of name: String, or find: () -> SecretNames.Secrecy) -> SecretNames.Secrecy {
    if let known = names.withLock({ $0[name] }) { return known }
    let secrecy = find()
    names.withLock { if $0.count < Self.limit { $0[name] = secrecy } }
    return secrecy
  }
}
