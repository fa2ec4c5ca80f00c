/// The words of a name, in lower case and in the singular: `accessToken`, `access_token` and
/// `AccessTokens` are "access" and "token"; `URLToken` is "url" and "token", `PINs` is "pin".
///
/// What the compiler puts before the name of a stored property is no part of it: `_name` of a wrapped
/// one, `$__lazy_storage_$_name` of a lazy one.
enum NameWords {
  static func of(_ name: String) -> [String] {
    let name = withoutPrefix(name)
    var words: [String] = []
    var word = ""
    func end() {
      if !word.isEmpty { words.append(singular(word.lowercased())) }
      word = ""
    }
    let characters = Array(name)
    for (index, character) in characters.enumerated() {
      guard character.isLetter else {
        end()
        continue
      }
      if character.isUppercase {
        let follows = beginsLowercase(characters, after: index)
        if word.last?.isUppercase != true || follows { end() }
      }
      word.append(character)
    }
    end()
    return words
  }

  /// `name` of a wrapped or lazy property that is stored under another name.
  static func withoutPrefix(_ label: String) -> String {
    let lazy = "$__lazy_storage_$_"
    let name = label.hasPrefix(lazy) ? label.dropFirst(lazy.count) : label[...]
    return String(name.drop { $0 == "_" || $0 == "$" })
  }

  /// Whether a lower-case word begins with the capital at a place. The `s` of `PINs` is no word.
  private static func beginsLowercase(_ characters: [Character], after index: Int) -> Bool {
    let next = characters[(index + 1)...].prefix(2)
    guard let first = next.first, first.isLowercase else { return false }
    return first != "s" || next.dropFirst().first?.isLowercase == true
  }

  private static func singular(_ word: String) -> String {
    word.count > 3 && word.hasSuffix("s") && !word.hasSuffix("ss") ? String(word.dropLast()) : word
  }
}
