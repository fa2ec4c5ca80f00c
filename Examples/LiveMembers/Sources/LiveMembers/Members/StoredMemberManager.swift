import AsyncChannels
import AsyncViewModels
import Logging
import SharedChannels

/// The members, in a log that other processes may share.
///
/// Changes are published when they are stored, in the log's order, and conflated: of several the newest.
///
/// A command that is *sent*, through ``MemberManager``'s inlets, waits to be stored when `send` returns. If its name is
/// not valid, every subscriber of ``members`` is told. If the queue or the list is full, or the database refuses the
/// command, no one is. A command that is *asked* is stored when the answer comes, and only its asker gets a refusal.
actor StoredMemberManager: MemberManager {
  nonisolated var addMember: Inlet<String> {
    channel.inlet.compactContramap { [results] name in
      let command = MemberCommand.add(name: name)
      if command.hasValidName { return command }
      results.send(.failure(.invalidName), replayed: false)
      return nil
    }
  }
  nonisolated var removeMember: Inlet<Member> { channel.inlet.contramap { .remove(id: $0.id) } }
  nonisolated var resetMembers: Inlet<Void> { channel.inlet.contramap { .removeAll } }
  nonisolated var members: Outlet<Result<[Member], MemberFailure>> { results.outlet }

  /// What all machines share.
  nonisolated let channel: SharedChannel<MemberList>
  /// The list as of the last command that is known here.
  nonisolated let roster: StateOutlet<Roster>
  /// What became of the commands that were asked here.
  private(set) var outcomes: [MemberOutcome: Int] = [:]

  private let logger: Logger
  private let results = Channel<Result<[Member], MemberFailure>>(replaying: 1)
  /// The `id` of the list that ``members`` has.
  private var published: String?

  init(
    log: any SharedLog, batchSize: Int = 256, history: Int? = nil,
    logger: Logger = Logger(label: "StoredMemberManager")
  ) {
    channel = SharedChannel(MemberList(), log: log, batchSize: batchSize, history: history)
    roster = channel.state.map { Roster($0) }
    self.logger = logger
  }

  /// Asks for a change. The answer is there when the change is stored and in ``roster``, or refused. Nil if nobody knows:
  /// ask again with the same key.
  func carryOut(_ command: MemberCommand, key: String) async -> MemberOutcome? {
    let outcome = await outcome(of: command, key: key)
    if let outcome { outcomes[outcome, default: 0] += 1 }
    return outcome
  }

  private func outcome(of command: MemberCommand, key: String) async -> MemberOutcome? {
    guard command.hasValidName else { return .invalidName }
    // The log would keep the refusal for the key. All pages have the same key for a row, so anybody could use up those of
    // members to come.
    if case .remove(let id) = command {
      guard let lastID = await lastID(atLeast: id) else { return nil }
      if id > lastID { return .unknownMember }
    }
    return switch await channel.commands.ask(command.keyed(key)) {
    case .applied(let outcome, at: _)?: outcome
    case .repeated?: .repeated
    case .notStored?: .notStored
    case nil: nil
    }
  }

  /// The newest member's id. If it is less than that, it is not less only because this server is behind another.
  private func lastID(atLeast id: Int) async -> Int? {
    let known = channel.state.value.value.lastID
    return id <= known ? known : try? await channel.upToDateState()?.value.lastID
  }

  /// Refuses commands from now on. `run()` carries out those that wait, and returns.
  nonisolated func finish() {
    channel.finish()
  }

  func run() async {
    async let _ = publishAll()  // until this returns
    async let _ = report()
    defer { if channel.health.value.isReady { publish(roster.value) } }
    await channel.run()
  }

  private func publishAll() async {
    for await health in channel.health where health.isReady { break }
    for await roster in roster.subscribe(buffering: .bufferingNewest(1)) { publish(roster) }
  }

  private func publish(_ roster: Roster) {
    guard roster.id != published else { return }
    published = roster.id
    results.send(.success(roster.members))
  }

  /// Tells an operator when the database ceases to answer, when it answers again, when it cannot store commands or the
  /// list, and when a newer version has taken over.
  private func report() async {
    var last: Health?
    for await health in channel.health {
      if case .replaced(let version) = health.role, last?.role != health.role {
        logger.critical("version \(version) of this program has taken over: stop this one")
      }
      switch (last?.readFailure, health.readFailure) {
      case (nil, let failure?): logger.warning("the database failed: \(failure)")
      case (_?, nil): logger.notice("the database answers again")
      default: break
      }
      if let failure = health.appendFailure, last?.appendFailure == nil, health.readFailure == nil {
        logger.warning("commands cannot be stored: \(failure)")
      }
      if let failure = health.snapshotFailure, last?.snapshotFailure != failure {
        logger.warning("the list cannot be stored, or older commands not be deleted: \(failure)")
      }
      last = health
    }
  }
}
