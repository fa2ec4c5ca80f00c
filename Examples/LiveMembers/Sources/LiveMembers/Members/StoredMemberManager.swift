import AsyncChannels
import AsyncViewModels
import Logging

/// The members, in a database that other processes may share.
///
/// Changes are published when they are committed, in that order, and conflated: of several the newest.
///
/// A command that is *sent*, through ``MemberManager``'s inlets, is on its way when `send` returns. If its
/// name is not valid, all who listen are told; if the list is full or the database does not store it, the
/// refusal is only counted. A command that is *asked* is durable when the answer is there, and its refusal
/// goes to who asked. If the asker leaves before it is carried out, it is not. When too many wait, a command
/// is refused at once: an asker gets nil.
actor StoredMemberManager: MemberManager {
  nonisolated var addMember: Inlet<String> { orders.inlet { .sent(.add(name: $0)) } }
  nonisolated var removeMember: Inlet<Member> { orders.inlet { .sent(.remove(id: $0.id)) } }
  nonisolated var resetMembers: Inlet<Void> { orders.inlet { .sent(.removeAll) } }
  nonisolated var members: Outlet<Result<[Member], MemberFailure>> { results.outlet }

  /// The same commands, each answered when it is stored or refused.
  nonisolated var commands: Inlet<Request<MemberCommand, MemberOutcome>> {
    orders.inlet { Order(command: $0.question, request: $0) }
  }

  /// The list as of the last commit that is known here.
  nonisolated var roster: StateOutlet<Roster> { current.outlet }
  /// Whether the database could be reached when it was last tried.
  nonisolated var isReachable: StateOutlet<Bool> { reachable.outlet }
  /// How many commands wait to be carried out.
  nonisolated var waitingCommands: Int { orders.received.pendingCount }
  private(set) var counts = Counts()

  private struct Order {
    let command: MemberCommand
    /// Nobody waits for what was only sent.
    var request: Request<MemberCommand, MemberOutcome>?

    static func sent(_ action: MemberCommand.Action) -> Order {
      Order(command: MemberCommand(action: action))
    }
  }

  private let store: any MemberStore
  private let groupSize: Int
  private let pollInterval: Duration
  private let logger: Logger
  private let orders = Input<Order>(buffering: .bufferingOldest(1_024))
  private let current: CurrentValue<Roster>
  private let reachable = CurrentValue(true)
  private let results = Channel<Result<[Member], MemberFailure>>(replaying: 1)

  /// Reads the list, so that there is one before anybody asks for it.
  ///
  /// - Parameter pollInterval: How often it is compared with the database, if nobody has told of a change:
  ///   a pooler of connections may keep notifications from coming, and a backup that is restored tells nobody.
  init(
    store: any MemberStore, groupSize: Int, pollInterval: Duration = .seconds(10),
    logger: Logger = Logger(label: "StoredMemberManager")
  ) async throws {
    self.store = store
    self.groupSize = groupSize
    self.pollInterval = pollInterval
    self.logger = logger
    let roster = try await store.roster()
    current = CurrentValue(roster)
    results.send(.success(roster.members))
  }

  /// Refuses commands from now on. `run()` carries out those that wait, and returns.
  nonisolated func finish() {
    orders.finish()
  }

  func run() async {
    async let _ = followOthers()  // until this returns
    async let _ = poll()
    // What waits shares one transaction: that costs little more than a command of its own.
    for await orders in orders.received.batches(ofAtMost: groupSize) { await carryOut(orders) }
  }

  /// Whatever happens to the database, the next list that can be read is published.
  private func followOthers() async {
    try? await retrying(after: { _ in true }) {
      for try await _ in try await store.changesByOthers() { try await readRoster() }
    }
  }

  private func poll() async {
    while (try? await Task.sleep(for: pollInterval)) != nil {
      // What fails here is tried again by who follows.
      guard let id = try? await store.rosterID() else { continue }
      // Only a list or a commit shows that the database answers again, and without commands no commit does.
      guard id != current.value.id || !reachable.value else { continue }
      try? await readRoster()
    }
  }

  private func readRoster() async throws {
    let known = current.value
    let roster = try await store.roster()
    setReachable(true)
    await publish(roster, readAfter: known)
  }

  private func carryOut(_ received: [Order]) async {
    for order in received where !order.command.hasValidName { answer(order, .invalidName) }
    var orders = received.filter(\.command.hasValidName)
    let known = current.value
    var mayBeStored = false
    do {
      // If the answer is lost, the keys make a second time harmless.
      let isLost = { (error: any Error) in
        let isUnknown = (error as? StoreFailure)?.changedNothing == false
        mayBeStored = mayBeStored || isUnknown
        return isUnknown
      }
      let committed: Committed? = try await retrying(after: isLost) {
        orders = awaited(orders)
        if orders.isEmpty { return nil }
        let committed = try await store.commit(orders.map(\.command))
        setReachable(true)
        return committed
      }
      guard let committed else { return }
      // Before the answers: whoever has one finds the change in the list.
      await publish(committed.roster, readAfter: known)
      for (order, outcome) in zip(orders, committed.outcomes) { answer(order, outcome) }
      counts.commits += 1
    } catch {
      // Without an answer, an asker learns that the outcome is unknown, and asks again with its key. So it
      // does after any error that is no refusal, and if an earlier try may have stored the commands.
      counts.failures += 1
      logger.error("\(orders.count) commands failed: \(error)")
      if (error as? StoreFailure)?.changedNothing == true, !mayBeStored {
        for order in orders { answer(order, .notStored) }
      }
    }
  }

  /// Those for whose answers somebody waits, or nobody ever did.
  private func awaited(_ orders: [Order]) -> [Order] {
    let awaited = orders.filter { $0.request?.isAwaited != false }
    counts.abandoned += orders.count - awaited.count
    return awaited
  }

  /// The operation itself tells when the database has answered: it may end without asking it.
  private func retrying<Value: Sendable>(
    after isPassing: (any Error) -> Bool, _ operation: () async throws -> Value
  ) async throws -> Value {
    var backoff = Backoff()
    while true {
      let begin = ContinuousClock.now
      do {
        return try await operation()
      } catch let error where isPassing(error) && !(error is CancellationError) {
        setReachable(false)
        // What has worked for a while is not what failed the last time.
        if ContinuousClock.now - begin > .seconds(15) { backoff = Backoff() }
        let pause = backoff.next()
        if backoff.isNews { logger.warning("the database failed \(backoff.tries) times: \(error)") }
        try await Task.sleep(for: pause)  // throws if the task is cancelled
      }
    }
  }

  private func setReachable(_ isReachable: Bool) {
    guard reachable.value != isReachable else { return }
    reachable.value = isReachable
    if isReachable { logger.notice("the database answers again") }
  }

  /// Commits of others and our own come on two ways, so the older may come last. But what was read after
  /// a list was known, and is older, is of a database that was set back.
  private func publish(_ roster: Roster, readAfter known: Roster) async {
    var roster = roster
    if roster.list == known.list, roster.revision < known.revision {
      logger.warning(
        "the database was set back from revision \(known.revision) to \(roster.revision)")
      do {
        try await store.beginEpoch(after: known)
        roster = try await store.roster()
      } catch {
        // The next poll finds it again.
        return logger.error("its list has no new name yet: \(error)")
      }
    }
    guard roster.isNews(after: current.value.id) else { return }
    current.value = roster
    results.send(.success(roster.members))
  }

  private func answer(_ order: Order, _ outcome: MemberOutcome) {
    counts.outcomes[outcome, default: 0] += 1
    if let request = order.request {
      request.reply(outcome)
    } else if outcome == .invalidName {
      results.send(.failure(.invalidName), replayed: false)
    }
  }
}

/// What an operator counts.
struct Counts: Sendable {
  var commits = 0
  /// Transactions that were refused, or of which nobody knows.
  var failures = 0
  /// Commands that were dropped, since nobody waited for their answers any more.
  var abandoned = 0
  var outcomes: [MemberOutcome: Int] = [:]
}
