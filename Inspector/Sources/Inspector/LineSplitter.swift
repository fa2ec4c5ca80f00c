/// Splits what a program sends into lines, and lets nothing else through: no line that is too long, is not UTF-8 or
/// cannot be JSON. What a line says is read by the page alone, as text.
struct LineSplitter {
  static let limit = 65_536

  private var line: [UInt8] = []
  private var isTooLong = false
  private(set) var refused = 0

  mutating func lines(in bytes: some Sequence<UInt8>) -> [String] {
    var lines: [String] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if let text = end() { lines.append(text) }
      } else if line.count < Self.limit {
        line.append(byte)
      } else {
        isTooLong = true
      }
    }
    return lines
  }

  private mutating func end() -> String? {
    defer { (line, isTooLong) = ([], false) }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard !line.isEmpty else { return nil }
    guard !isTooLong, line.first == UInt8(ascii: "{"), line.last == UInt8(ascii: "}"),
      !line.contains(where: { $0 < 0x20 }), let text = String(validating: line, as: UTF8.self)
    else {
      refused += 1
      return nil
    }
    return text
  }
}
