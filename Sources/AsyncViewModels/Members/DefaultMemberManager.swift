public import AsyncChannels

/// The members, kept in memory.
///
/// Commands are carried out in the order in which they were sent, through any of the inlets: the three inlets
/// share one input of commands. Commands that are sent before ``run()`` begins, or between a cancelled run
/// and the next, wait.
///
/// Every add, every reset and every removal of a known member publishes exactly once.
public actor DefaultMemberManager: MemberManager {
  /// The program's members.
  public static let shared = DefaultMemberManager()

  /// Adds a member with this name, or publishes a failure.
  public nonisolated var addMember: Inlet<String> { commands.inlet(Command.add) }

  /// Removes the member with this id, if there is one.
  public nonisolated var removeMember: Inlet<Member> { commands.inlet(Command.remove) }

  /// Removes all members.
  public nonisolated var resetMembers: Inlet<Void> { commands.inlet(.reset) }

  /// The members after each change. A new listener begins with the last list.
  public nonisolated var members: Outlet<Result<[Member], MemberFailure>> { results.outlet }

  private enum Command {
    case add(name: String), remove(Member), reset
  }

  private let commands = Input<Command>()
  private let results = Channel<Result<[Member], MemberFailure>>(replaying: 1)
  private var roster: [Member] = []
  private var lastID = 0

  /// Makes a manager with no members.
  public init() {
    results.send(.success([]))
  }

  /// Carries out the commands, in the order in which they were sent, until its task is cancelled.
  public func run() async {
    for await command in commands.received {
      carryOut(command)
    }
  }

  private func carryOut(_ command: Command) {
    switch command {
    case .add(let name):
      guard Member.isValid(name: name) else {
        // An event, not a state: a later subscriber begins with the last good list.
        results.send(.failure(.invalidName), replayed: false)
        return
      }
      lastID += 1
      roster.append(Member(id: lastID, name: name))
    case .remove(let member):
      guard let index = roster.firstIndex(where: { $0.id == member.id }) else { return }
      roster.remove(at: index)
    case .reset:
      roster.removeAll()
    }
    results.send(.success(roster))
  }
}
