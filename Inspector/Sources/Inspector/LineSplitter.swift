/// Splits what a program sends into lines, and lets nothing else through: no line that is too long, is not UTF-8 or
/// cannot be JSON. What a line says is read by the page alone, as text.
struct LineSplitter {
  static let limit = 65_536

  private var line: [UInt8] = []
  private var isTooLong = false

  /// - Returns: Nil for each line that is refused.
  mutating func lines(in bytes: UnsafeRawBufferPointer) -> [String?] {
    var lines: [String?] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      add(rest[..<end])
      if isTooLong || !line.isEmpty { lines.append(text) }
      (line, isTooLong) = ([], false)
      rest = rest[(end + 1)...]
    }
    add(rest)
    return lines
  }

  private mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>) {
    isTooLong = isTooLong || line.count + bytes.count > Self.limit
    if !isTooLong { line += UnsafeRawBufferPointer(rebasing: bytes) }
  }

  private var text: String? {
    guard !isTooLong, line.first == UInt8(ascii: "{"), line.last == UInt8(ascii: "}"),
      !line.contains(where: { $0 < 0x20 })
    else { return nil }
    return String(validating: line, as: UTF8.self)
  }
}
