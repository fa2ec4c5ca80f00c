/// Numbers of cards and accounts, told by their checksums, and US social security numbers.
enum SecretNumber {
  /// A number that begins at a place, with spaces or hyphens between its groups.
  static func range(at place: Int, in bytes: [UInt8]) -> Range<Int>? {
    var digits: [UInt8] = []
    var groups: [Int] = [0]
    var end = place
    var next = place
    while next < bytes.count, digits.count < 34 {
      let byte = bytes[next]
      if isDigit(byte) || isCapital(byte) {
        digits.append(byte)
        groups[groups.count - 1] += 1
        end = next + 1
      } else if (byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-")) && groups.last != 0 {
        groups.append(0)
      } else {
        break
      }
      next += 1
      // Groups stand behind each other without an end: what was found by then may be one.
      if isWhole(end, bytes), isCard(digits) || isAccount(digits) || isSocial(digits, groups) {
        return place..<end
      }
    }
    return nil
  }

  /// Whether it is one of a card. A date in milliseconds or nanoseconds is none.
  static func isCard(_ digits: [UInt8]) -> Bool {
    guard (13...19).contains(digits.count), digits.allSatisfy(isDigit) else { return false }
    guard (UInt8(ascii: "2")...UInt8(ascii: "6")).contains(digits[0]), Set(digits).count > 1 else {
      return false
    }
    var sum = 0
    for (place, digit) in digits.reversed().enumerated() {
      let value = Int(digit - UInt8(ascii: "0")) * (place % 2 == 0 ? 1 : 2)
      sum += value > 9 ? value - 9 : value
    }
    return sum % 10 == 0
  }

  /// Whether it is an IBAN.
  private static func isAccount(_ characters: [UInt8]) -> Bool {
    guard (15...34).contains(characters.count), characters[..<2].allSatisfy(isCapital),
      characters[2..<4].allSatisfy(isDigit)
    else { return false }
    var rest = 0
    for byte in characters[4...] + characters[..<4] {
      rest =
        isDigit(byte)
        ? (rest * 10 + Int(byte - UInt8(ascii: "0"))) % 97
        : (rest * 100 + Int(byte - UInt8(ascii: "A")) + 10) % 97
    }
    return rest == 1
  }

  private static func isSocial(_ digits: [UInt8], _ groups: [Int]) -> Bool {
    digits.count == 9 && groups == [3, 2, 4] && digits.allSatisfy(isDigit)
      && digits[0] != UInt8(ascii: "9")
  }

  private static func isWhole(_ end: Int, _ bytes: [UInt8]) -> Bool {
    end == bytes.count || !(isDigit(bytes[end]) || isCapital(bytes[end] & 0xDF))
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isCapital(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
}
