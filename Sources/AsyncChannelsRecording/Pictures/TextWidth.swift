import AsyncChannels

extension String {
  /// With its control characters written out, so that it cannot command a terminal, look like more
  /// than one line, or be read in another order than it is written.
  package var printable: String {
    var result = ""
    for scalar in unicodeScalars {
      switch (scalar.properties.generalCategory, scalar.value) {
      // Joiners, and the tags of flags, are format characters that texts are written with.
      case (.format, 0x200C...0x200D), (.format, 0xE0020...0xE007F):
        result.unicodeScalars.append(scalar)
      case (.control, _), (.format, _), (.lineSeparator, _), (.paragraphSeparator, _):
        result += scalar.escaped(asASCII: true)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The columns that it takes in a terminal.
  package var columns: Int { reduce(0) { $0 + $1.columns } }

  /// With spaces behind it.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - columns))
  }

  /// The beginning that fits, and `ellipsis` if that is not all.
  package func clipped(to width: Int, ellipsis: String) -> String {
    guard columns > width else { return self }
    var result = ""
    var used = ellipsis.columns
    for character in self {
      used += character.columns
      if used > width { break }
      result.append(character)
    }
    return result + ellipsis
  }
}

extension Character {
  /// As terminals have it: two for the wide ones of East Asia, for emoji and for flags; none for what
  /// has no width of its own.
  fileprivate var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    switch first.value {
    case 0x20..<0x7F: return unicodeScalars.count > 1 && isKeycap ? 2 : 1
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F1E6...0x1F1FF,
      0x1F300...0x1F64F, 0x1F680...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: break
    }
    if first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return 1
    }
  }

  /// `1️⃣`: a digit in a key.
  private var isKeycap: Bool { unicodeScalars.contains("\u{20E3}") }
}
