import Foundation
import SharedChannels

/// A change of the list. The log keeps it, so a later version of the program must decode it, too.
enum MemberCommand: Sendable, Codable {
  case add(name: String), remove(id: Int), removeAll

  /// The log carries out one command with each key. What is asked is part of the key: a page that a browser kept has
  /// an old key for a new name, and nobody uses up another's key.
  func keyed(_ key: String) -> Keyed<MemberCommand> {
    let what =
      switch self {
      case .add(let name): "add \(fingerprint(of: name))"
      case .remove(let id): "remove \(id)"
      case .removeAll: "remove all"
      }
    return Keyed(key: "\(key) \(what)", self)
  }

  /// Checked before a command is stored: what a character is may change with the program's version.
  var hasValidName: Bool {
    guard case .add(let name) = self else { return true }
    return isValid(name: name)
  }
}

/// A number that is the same in each process, since a key has no room for a name (FNV-1a).
private func fingerprint(of text: String) -> String {
  let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
    ($0 ^ UInt64($1)) &* 0x100_0000_01b3
  }
  return String(hash, radix: 16)
}

/// A name can be seen, is on one line, and does not turn the text around it.
private func isValid(name: String) -> Bool {
  // A character may have any number of scalars.
  guard name.count <= 100, name.utf8.count <= 400 else { return false }
  let turns: Set<UInt32> = [0x61C, 0x200E, 0x200F]
  return name.unicodeScalars.contains { isVisible($0) }
    && name.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default:
        !turns.contains(scalar.value) && !(0x202A...0x202E ~= scalar.value)
          && !(0x2066...0x2069 ~= scalar.value)
      }
    }
}

/// Not a space, and nothing that only changes what stands beside it. (Two letters are drawn as nothing.)
private func isVisible(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .spaceSeparator, .format, .nonspacingMark, .enclosingMark, .spacingMark: false
  default: !scalar.properties.isDefaultIgnorableCodePoint && scalar.value != 0x2800
  }
}

/// What became of a command. All but the first have changed nothing now.
enum MemberOutcome: String, Sendable {
  case done, invalidName, unknownMember, listIsFull
  /// The log had its key already, and no server here knows any more what came of it.
  case repeated
  /// The database refused it; it may take the next.
  case notStored
}
