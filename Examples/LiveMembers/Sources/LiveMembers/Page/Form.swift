/// What a browser sends for a form. (hummingbird's own decoder takes text that is not UTF-8.)
struct Form {
  let name: String?
  /// By which the command is known when the form is sent again.
  let key: String?

  /// - Parameter body: As `application/x-www-form-urlencoded`. Nil if it is not that, or not UTF-8.
  init?(_ body: some Sequence<UInt8>) {
    var fields: [String: String] = [:]
    for pair in Array(body).split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let field = Self.decoded(parts[0]), let value = Self.decoded(parts[1])
      else { return nil }
      fields[field] = value
    }
    name = fields["name"]
    key = fields["key"]
    guard key.map({ (1...64).contains($0.utf8.count) && !$0.utf8.contains(0) }) ?? true else {
      return nil
    }
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
    var text: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): text.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap({ Character(UnicodeScalar($0)).hexDigitValue }),
          let low = rest.popFirst().flatMap({ Character(UnicodeScalar($0)).hexDigitValue })
        else { return nil }
        text.append(UInt8(high * 16 + low))
      default: text.append(byte)
      }
    }
    return String(validating: text, as: UTF8.self)
  }
}
