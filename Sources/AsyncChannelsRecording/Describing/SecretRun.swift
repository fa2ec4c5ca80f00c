/// Whether characters without a space between them have the shape of a secret: a token with a known
/// beginning, a signed token, or many characters that look random.
///
/// Not shaped like a secret, and so shown: words, names in camel case, paths, dates, UUIDs, and hexadecimal
/// numbers of less than 32 digits.
enum SecretRun {
  static func isPart(_ byte: UInt8) -> Bool {
    kind(of: byte) != .other || marks.contains(byte)
  }

  static func isSecret(_ run: ArraySlice<UInt8>) -> Bool {
    guard run.count >= 16 else { return false }
    let names = run.split(separator: UInt8(ascii: "/"))
    if names.contains(where: hasKnownBeginning) || isSignedToken(run) { return true }
    return run.split(whereSeparator: marks.contains).contains(where: isRandom)
      || isRandomWithMarks(run)
  }

  private static func hasKnownBeginning(_ name: ArraySlice<UInt8>) -> Bool {
    name.count >= 16 && beginnings.contains { name.starts(with: $0) }
  }

  private static let marks = Array("-_+/.~".utf8)
  private static let beginnings = [
    "sk-", "sk_", "rk_", "pk_live_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_",
    "glpat-", "xoxb-", "xoxp-", "xoxa-", "xapp-", "AKIA", "ASIA", "AIza", "ya29.", "SG.", "npm_",
    "pypi-", "dop_v1_", "hf_", "shpat_", "whsec_", "eyJ",
  ].map { Array($0.utf8) }

  /// Three parts, as those of a JSON Web Token.
  private static func isSignedToken(_ run: ArraySlice<UInt8>) -> Bool {
    let parts = run.split(separator: UInt8(ascii: "."))
    return parts.count == 3 && parts.allSatisfy { $0.count >= 16 && changes(in: $0) * 4 > $0.count }
  }

  /// Letters and digits, at least 20, that change their kind as often as those of a random text do.
  private static func isRandom(_ part: ArraySlice<UInt8>) -> Bool {
    guard part.count >= 20 else { return false }
    let digits = part.count { kind(of: $0) == .digit }
    if digits == part.count { return false }
    if part.count >= 32, part.allSatisfy(isHexadecimal) { return digits > 0 }
    guard digits >= 2 || part.count >= 32 else { return false }
    return changes(in: part) * 100 >= part.count * 26
  }

  /// Base 64 may have marks in it, though not as many as a path or a slug has.
  private static func isRandomWithMarks(_ run: ArraySlice<UInt8>) -> Bool {
    let characters = run.filter { kind(of: $0) != .other }
    let marks = run.count - characters.count
    guard run.count >= 24, marks * 8 <= run.count else { return false }
    let capitals = characters.count { kind(of: $0) == .upper }
    let digits = characters.count { kind(of: $0) == .digit }
    guard digits >= 2, capitals >= 2, characters.count - digits - capitals >= 2 else {
      return false
    }
    return changes(in: characters[...]) * 100 >= characters.count * 28
  }

  /// How often a character is of another kind than the one before; a capital that begins a word aside.
  private static func changes(in part: ArraySlice<UInt8>) -> Int {
    zip(part, part.dropFirst()).count { one, next in
      let (one, next) = (kind(of: one), kind(of: next))
      return one != next && !(one == .upper && next == .lower)
    }
  }

  private enum Kind {
    case lower, upper, digit, other
  }

  private static func kind(of byte: UInt8) -> Kind {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): .lower
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): .upper
    case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
    default: .other
    }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    kind(of: byte) == .digit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }
}
