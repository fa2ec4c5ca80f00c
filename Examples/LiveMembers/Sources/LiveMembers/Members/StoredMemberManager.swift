import AsyncChannels
import AsyncViewModels
import Logging

/// The members, in a database that other processes may share.
///
/// Changes are published when they are committed, in that order, and conflated: of several the newest.
///
/// A command that is *sent*, through ``MemberManager``'s inlets, is on its way when `send` returns; if
/// it is refused, all who listen are told. A command that is *asked* is durable when the answer is
/// there, and its refusal goes to who asked.
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
  private let logger = Logger(label: "StoredMemberManager")
  private let orders = Input<Order>()
  private let current: CurrentValue<Roster>
  private let results = Channel<Result<[Member], MemberFailure>>(replaying: 1)

  /// Reads the list, so that there is one before anybody asks for it.
  init(store: any MemberStore, groupSize: Int) async throws {
    self.store = store
    self.groupSize = groupSize
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
    // What waits shares one transaction: that costs little more than a command of its own.
    for await orders in orders.received.batches(ofAtMost: groupSize) { await carryOut(orders) }
  }

  /// Whatever happens to the database, the next list that can be read is published.
  private func followOthers() async {
    try? await retrying(after: { _ in true }) {
      for try await _ in try await store.changesByOthers() { publish(try await store.roster()) }
    }
  }

  private func carryOut(_ orders: [Order]) async {
    for order in orders where !order.command.hasValidName { answer(order, .invalidName) }
    let orders = orders.filter(\.command.hasValidName)
    guard !orders.isEmpty else { return }
    do {
      // If the connection is lost meanwhile, the keys make a second time harmless.
      let committed = try await retrying(after: { ($0 as? StoreFailure)?.isConnected == false }) {
        try await store.commit(orders.map(\.command))
      }
      // Before the answers: whoever has one finds the change in the list.
      publish(committed.roster)
      for (order, outcome) in zip(orders, committed.outcomes) { answer(order, outcome) }
    } catch {
      // The orders go without an answer, which tells the askers that nobody knows.
      logger.error("\(orders.count) commands failed: \(error)")
    }
  }

  private func retrying<Value: Sendable>(
    after isPassing: (any Error) -> Bool, _ operation: () async throws -> Value
  ) async throws -> Value {
    while true {
      do {
        return try await operation()
      } catch let error where isPassing(error) {
        try await Task.sleep(for: .milliseconds(250))  // throws if the task is cancelled
        logger.warning("the database failed, trying again: \(error)")
      }
    }
  }

  /// Commits of others and our own come on two ways, so the older may come last.
  private func publish(_ roster: Roster) {
    guard roster.isNews(after: current.value.id) else { return }
    current.value = roster
    results.send(.success(roster.members))
  }

  private func answer(_ order: Order, _ outcome: MemberOutcome) {
    if let request = order.request {
      request.reply(outcome)
    } else if outcome == .invalidName {
      results.send(.failure(.invalidName), replayed: false)
    }
  }
}
