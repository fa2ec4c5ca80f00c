import AsyncChannels
import AsyncChannelsRecording

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

extension StringProtocol {
  /// The text in quotes, for a sentence about it; of a long one only the beginning.
  var quoted: String {
    let limit = 80
    return "\"\(String(prefix(limit)).printable)\(dropFirst(limit).isEmpty ? "" : "…")\""
  }

  /// The text without white space before and after it.
  var trimmed: String {
    var rest = self[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}
