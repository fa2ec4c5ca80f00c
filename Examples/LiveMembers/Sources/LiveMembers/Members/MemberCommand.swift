import AsyncViewModels
import Foundation

/// A change of the list. Of two with one key the second does nothing, and gets the first's answer.
struct MemberCommand: Sendable, Codable {
  enum Action: Sendable, Codable {
    case add(name: String), remove(id: Int), removeAll
  }

  let key: String
  let action: Action

  /// What is asked is part of the key that is stored: a page that a browser kept has an old key for a new
  /// name, and nobody uses up another's key.
  init(key: String = UUID().uuidString, action: Action) {
    self.action = action
    self.key =
      switch action {
      case .add(let name): "\(key) add \(name)"
      case .remove(let id): "\(key) remove \(id)"
      case .removeAll: "\(key) remove all"
      }
  }

  var hasValidName: Bool {
    guard case .add(let name) = action else { return true }
    return isValid(name: name)
  }
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

/// What became of a command. All but the first have changed nothing.
enum MemberOutcome: String, Sendable, Codable {
  case done, invalidName, unknownMember, listIsFull
  /// The database refused the transaction; it may take the next. This one is not stored.
  case notStored
}

/// The list after a transaction.
struct Roster: Sendable, Codable {
  /// Which list it is: a database has its own, made with it.
  let list: String
  /// Grows with each change.
  let revision: Int
  let members: [Member]

  /// How a page names what it shows when it asks for what is newer.
  var id: String { "\(list)-\(revision)" }

  /// Whether a page that shows this lacks the roster: it may have a newer one, of another server.
  func isNews(after id: String?) -> Bool {
    guard let id, id.hasPrefix("\(list)-") else { return true }
    return revision > Int(id.dropFirst(list.count + 1)) ?? -1
  }
}
