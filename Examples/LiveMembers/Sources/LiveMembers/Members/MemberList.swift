import AsyncViewModels
import SharedChannels

/// The members, as all servers have them: what `apply` makes of all commands in the log's order.
struct MemberList: SharedState {
  private(set) var members: [Member] = []
  /// Grows with each change of the members.
  private(set) var revision = 0
  /// The newest member's. No id is given twice.
  private(set) var lastID = 0

  /// How many members there may be: each change shows the whole list. Servers with another number make other lists of
  /// the same commands: raise `version` with it.
  private static let capacity = 1_000

  mutating func apply(_ command: MemberCommand) -> MemberOutcome {
    switch command {
    case .add(let name):
      guard members.count < Self.capacity else { return .listIsFull }
      lastID += 1
      members.append(Member(id: lastID, name: name))
    case .remove(let id):
      guard let index = members.firstIndex(where: { $0.id == id }) else { return .unknownMember }
      members.remove(at: index)
    case .removeAll:
      if members.isEmpty { return .done }
      members.removeAll()
    }
    revision += 1
    return .done
  }
}

/// The list as a page shows it.
struct Roster: Sendable {
  /// Which list it is: a database that is set back gets another one, since revisions come a second time.
  let list: String
  let revision: Int
  let members: [Member]

  init(_ state: Revised<MemberList>) {
    self.init(
      list: state.position?.epoch ?? "", revision: state.value.revision,
      members: state.value.members)
  }

  init(list: String, revision: Int, members: [Member]) {
    (self.list, self.revision, self.members) = (list, revision, members)
  }

  /// How a page names what it shows when it asks for what is newer.
  var id: String { "\(list)-\(revision)" }

  /// Whether a page that shows this lacks the roster: it may have a newer one, of another server.
  func isNews(after id: String?) -> Bool {
    guard let id, id.hasPrefix("\(list)-") else { return true }
    return revision > Int(id.dropFirst(list.count + 1)) ?? -1
  }
}
