import AsyncViewModels
import Foundation

/// A change of the list. Of two with one key the second does nothing, and gets the first's answer.
struct MemberCommand: Sendable, Codable {
  enum Action: Sendable, Codable {
    case add(name: String), remove(id: Int), removeAll
  }

  var key = UUID().uuidString
  let action: Action

  /// On one line, without the zeros that PostgreSQL refuses; a character may have many bytes.
  var hasValidName: Bool {
    guard case .add(let name) = action else { return true }
    return Member.isValid(name: name) && name.count <= 100 && name.utf8.count <= 400
      && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

/// What became of a command. All but the first have changed nothing.
enum MemberOutcome: String, Sendable, Codable {
  case done, invalidName, unknownMember, listIsFull
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
