import AsyncViewModels

/// What is to be done to the list. Of two commands with one key the second does nothing, and gets the
/// answer of the first.
struct MemberCommand: Sendable, Codable {
  enum Action: Sendable, Codable {
    case add(name: String), remove(id: Int), removeAll
  }

  var key = String.randomKey()
  let action: Action

  /// Names are shown on one line, and PostgreSQL's text has no zero characters. A character may have
  /// any number of bytes.
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

  /// Whether a page that shows this does not know the roster yet. It may know a newer one, from
  /// another server.
  func isNews(after id: String?) -> Bool {
    guard let id, let dash = id.lastIndex(of: "-"), let known = Int(id[id.index(after: dash)...])
    else { return true }
    return id[..<dash] != list || revision > known
  }
}

extension String {
  /// A key that nobody else has.
  static func randomKey() -> String {
    (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
  }
}
