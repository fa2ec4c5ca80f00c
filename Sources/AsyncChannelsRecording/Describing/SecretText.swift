/// A text without what looks like a secret: what stands behind the name of one (`password=…`,
/// `"token": "…"`, `Authorization: …`), what a scheme carries (`Bearer …`), the user in a URL, a private
/// key, and runs of characters with the shape of a secret (see `SecretRun`).
///
/// It works on bytes, and looks at each a bounded number of times.
struct SecretText {
  private let bytes: [UInt8]
  private let names: SecretNames
  /// Ascending, and not overlapping.
  private var hidden: [Range<Int>] = []

  /// Of a text that needs no change the same text.
  static func scrub(_ text: String, _ names: SecretNames) -> String {
    // A shorter text has room for a secret only behind a name or a scheme.
    guard text.utf8.count > 3 else { return text }
    var scrubbed = SecretText(text, names)
    scrubbed.search()
    return scrubbed.hidden.isEmpty ? text : scrubbed.text
  }

  private init(_ text: String, _ names: SecretNames) {
    bytes = Array(text.utf8)
    self.names = names
  }

  private var text: String {
    var result: [UInt8] = []
    var place = 0
    for range in hidden {
      result += bytes[place..<range.lowerBound]
      result += "…".utf8
      place = range.upperBound
    }
    return String(decoding: result + bytes[place...], as: UTF8.self)
  }

  private mutating func search() {
    var place = 0
    while place < bytes.count {
      if let found = secret(at: place) {
        hidden.append(found)
        place = max(found.upperBound, place + 1)
      } else {
        place += 1
      }
    }
  }

  /// What is to be hidden because of what begins, or stands, at a place. It ends behind the place.
  private func secret(at place: Int) -> Range<Int>? {
    switch bytes[place] {
    case UInt8(ascii: "="), UInt8(ascii: ":"):
      if let user = userOfURL(at: place) { return user }
      return valueOfName(at: place)
    case UInt8(ascii: "-"): return keyBlock(at: place) ?? run(at: place)
    case UInt8(ascii: " "): return credentials(at: place)
    default: return run(at: place)
    }
  }

  // MARK: behind a name

  /// `name=value`, `"name": "value"`, `Name: value`.
  private func valueOfName(at separator: Int) -> Range<Int>? {
    var start = separator + 1
    if byte(start) == UInt8(ascii: ">") { start += 1 }
    let name = name(before: separator)
    guard !name.isEmpty, isSecret(name, at: separator) else { return nil }
    start = skip(from: start) { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\\") }
    guard let first = byte(start), first != UInt8(ascii: "\n") else { return nil }
    // Who wrote it has hidden it.
    if bytes[start...].starts(with: Array("…".utf8)) { return nil }
    let end = end(ofValueAt: start, first, isInList: isInList(separator))
    return start < end ? start..<end : nil
  }

  private func end(ofValueAt start: Int, _ first: UInt8, isInList: Bool) -> Int {
    switch first {
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      var end = start + 1
      while let next = byte(end), next != first || byte(end - 1) == UInt8(ascii: "\\") {
        // In JSON within a text, the closing quote has a backslash, too.
        if next == first, start > 0, byte(start - 1) == UInt8(ascii: "\\") { break }
        end += 1
      }
      return min(end + 1, bytes.count)
    case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "("): return endOfBrackets(from: start)
    default:
      return skip(from: start) { isInList ? !Self.endsListItem($0) : $0 != UInt8(ascii: "\n") }
    }
  }

  private func endOfBrackets(from start: Int) -> Int {
    var depth = 0
    for place in start..<bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "("): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ")"): depth -= 1
      default: break
      }
      if depth == 0 { return place + 1 }
    }
    return bytes.count
  }

  private func name(before separator: Int) -> String {
    var end = separator
    while let last = byte(end - 1), " \"'\\]".utf8.contains(last) { end -= 1 }
    var start = end
    while start > max(0, end - 64), let next = byte(start - 1), Self.isInName(next) { start -= 1 }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  private func isSecret(_ name: String, at separator: Int) -> Bool {
    switch names.secrecy(of: name) {
    case .ofAll: true
    case .ofText: bytes[separator] == UInt8(ascii: "=")
    case .none: isInList(separator) && Self.inQueries.contains(name.lowercased())
    }
  }

  /// Whether a name and its value are a part of a URL's query, or of a form.
  private func isInList(_ separator: Int) -> Bool {
    guard bytes[separator] == UInt8(ascii: "=") else { return false }
    var place = separator - 1
    while let next = byte(place), Self.isInName(next) { place -= 1 }
    let before = byte(place)
    if before == UInt8(ascii: "?") || before == UInt8(ascii: "&") || before == UInt8(ascii: "#") {
      return true
    }
    let end = skip(from: separator) { !Self.endsListItem($0) }
    return byte(end) == UInt8(ascii: "&")
  }

  // MARK: elsewhere

  /// `//user:password@`, with the place of the colon before.
  private func userOfURL(at colon: Int) -> Range<Int>? {
    guard byte(colon) == UInt8(ascii: ":"), byte(colon + 1) == UInt8(ascii: "/"),
      byte(colon + 2) == UInt8(ascii: "/")
    else { return nil }
    let start = colon + 3
    let end = skip(from: start) { !Self.endsAuthority($0) }
    guard let at = (start..<end).last(where: { bytes[$0] == UInt8(ascii: "@") }) else { return nil }
    let user = bytes[start..<at]
    return user.contains(UInt8(ascii: ":")) || user.count > 12 ? start..<at : nil
  }

  /// `Bearer …`, with the place of the space.
  private func credentials(at space: Int) -> Range<Int>? {
    var start = space
    while let next = byte(start - 1), Self.isLetter(next) { start -= 1 }
    let scheme = String(decoding: bytes[start..<space], as: UTF8.self).lowercased()
    guard Self.schemes.contains(scheme) else { return nil }
    let end = skip(from: space + 1) { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: "\"") }
    let value = bytes[(space + 1)..<end]
    guard value.count >= 6, value.contains(where: { !Self.isLowercase($0) }) else { return nil }
    if scheme == "bearer" { return (space + 1)..<end }
    let isEncoded =
      value.last == UInt8(ascii: "=") || value.contains(where: Self.isDigit) || value.count >= 16
    return isEncoded ? (space + 1)..<end : nil
  }

  /// `-----BEGIN PRIVATE KEY-----`, to its end or the end of the text.
  private func keyBlock(at place: Int) -> Range<Int>? {
    guard bytes[place...].starts(with: Array("-----BEGIN ".utf8)) else { return nil }
    let lineEnd = skip(from: place + 11) { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "\n") }
    guard String(decoding: bytes[place..<lineEnd], as: UTF8.self).contains("PRIVATE KEY") else {
      return nil
    }
    let mark = Array("-----END ".utf8)
    var end = lineEnd
    while end < bytes.count, !bytes[end...].starts(with: mark) { end += 1 }
    return place..<skip(from: end) { $0 != UInt8(ascii: "\n") }
  }

  private func run(at place: Int) -> Range<Int>? {
    // A run is looked at where it begins.
    if let before = byte(place - 1), SecretRun.isPart(before) { return nil }
    guard SecretRun.isPart(bytes[place]) else { return nil }
    let end = skip(from: place, while: SecretRun.isPart)
    if SecretRun.isSecret(bytes[place..<end]) { return place..<end }
    return SecretNumber.range(at: place, in: bytes)
  }

  // MARK: bytes

  private func byte(_ place: Int) -> UInt8? { bytes.indices.contains(place) ? bytes[place] : nil }

  private func skip(from start: Int, while isSkipped: (UInt8) -> Bool) -> Int {
    var place = min(start, bytes.count)
    while place < bytes.count, isSkipped(bytes[place]) { place += 1 }
    return place
  }

  private static let schemes: Set<String> = ["bearer", "basic", "digest", "token", "apikey"]
  private static let inQueries: Set<String> = [
    "code", "key", "sig", "sign", "sid", "state", "access", "hash", "auth", "k",
  ]

  private static func endsListItem(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ")
      || "&#,;)}]\"'<>".utf8.contains(byte)
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || "/?#\"'<>".utf8.contains(byte)
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte >= 0x80 || "_-.$".utf8.contains(byte)
  }

  private static func isLowercase(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { isLowercase(byte | 0x20) }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
