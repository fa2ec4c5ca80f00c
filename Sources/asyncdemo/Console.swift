/// Standard output: unbuffered, so that what was printed is out, however the program ends.
struct Console: Sendable {
  let isTerminal = asyncdemo.isTerminal(1)

  /// Writes all of the text, or throws an `OutputError`.
  func write(_ text: String) throws {
    try writeDescriptor(1, text)
  }

  func bold(_ text: String) -> String {
    isTerminal ? "\u{1B}[1m\(text)\u{1B}[0m" : text
  }

  /// Writes to standard error, as far as that is possible.
  static func complain(_ text: String) {
    try? writeDescriptor(2, text)
  }
}

extension Unicode.Scalar {
  /// Whether it is a format character that texts are written with: the joiner and the non-joiner of
  /// scripts and emoji, and the tags that flags are made of.
  fileprivate var isPartOfText: Bool {
    switch value {
    case 0x200C, 0x200D, 0xE0020...0xE007F: true
    default: false
    }
  }
}

extension StringProtocol {
  /// The text with its control characters written out, so that it cannot command a terminal, look
  /// like more than one line, or be read in another order than it is written.
  var printable: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator:
        result += scalar.escaped(asASCII: true)
      case .format where !scalar.isPartOfText:
        result += scalar.escaped(asASCII: true)
      default:
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text in quotes, for a sentence about it; of a long one only the beginning.
  var quoted: String {
    let limit = 80
    return "\"\(prefix(limit).printable)\(dropFirst(limit).isEmpty ? "" : "…")\""
  }

  /// The text with spaces behind it, up to this many characters.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }

  /// The text without white space before and after it.
  var trimmed: String {
    var rest = self[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}
