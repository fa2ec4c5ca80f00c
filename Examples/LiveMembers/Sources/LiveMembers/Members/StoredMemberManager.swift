import AsyncChannels
import AsyncViewModels
import Logging

/// The members, in a database that other processes may share.
///
/// What a command has changed is published when it is committed, in the order of the commits. A list
/// that is shared is conflated: of several changes the newest list is published.
///
/// A command that is *sent*, through ``MemberManager``'s inlets, is on its way when `send` returns; if
/// it is refused, all who listen are told. A command that is *asked* is durable when the answer is
/// there, and its refusal goes to who asked.
actor StoredMemberManager: MemberManager {
  nonisolated var addMember: Inlet<String> { orders.inlet { .sent(.init(action: .add(name: $0))) } }
  nonisolated var removeMember: Inlet<Member> {
    orders.inlet { .sent(.init(action: .remove(id: $0.id))) }
  }
  nonisolated var resetMembers: Inlet<Void> { orders.inlet { .sent(.init(action: .removeAll)) } }
  nonisolated var members: Outlet<Result<[Member], MemberFailure>> { results.outlet }

  /// The same commands, each answered when it is stored or refused.
  nonisolated var commands: Inlet<Request<MemberCommand, MemberOutcome>> {
    orders.inlet(Order.asked)
  }

  /// The list as of the last commit that is known here.
  nonisolated var roster: StateOutlet<Roster> { current.outlet }

  private enum Order {
    case sent(MemberCommand), asked(Request<MemberCommand, MemberOutcome>)

    var command: MemberCommand {
      switch self {
      case .sent(let command): command
      case .asked(let request): request.question
      }
    }
  }

  private let store: any MemberStore
  private let groupSize: Int
  private let logger: Logger
  private let orders = Input<Order>()
  private let current: CurrentValue<Roster>
  private let results = Channel<Result<[Member], MemberFailure>>(replaying: 1)

  /// Reads the list, so that there is one before anybody asks for it.
  init(store: any MemberStore, groupSize: Int, logger: Logger) async throws {
    self.store = store
    self.groupSize = groupSize
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
    await withDiscardingTaskGroup { group in
      group.addTask {
        try? await self.untilConnected {
          try await self.store.followOthers { await self.publish(try await self.store.roster()) }
        }
      }
      // What waits shares one transaction: that costs little more than a command of its own.
      for await orders in orders.received.batches(ofAtMost: groupSize) { await carryOut(orders) }
      group.cancelAll()
    }
  }

  private func carryOut(_ orders: [Order]) async {
    for order in orders where !order.command.hasValidName { answer(order, .invalidName) }
    let orders = orders.filter(\.command.hasValidName)
    guard !orders.isEmpty else { return }
    do {
      // Whether what was sent over a lost connection was committed is not known; the keys make a
      // second time harmless.
      let committed = try await untilConnected { try await store.commit(orders.map(\.command)) }
      // Before the answers: whoever has one finds the change in the list.
      publish(committed.roster)
      for (order, outcome) in zip(orders, committed.outcomes) { answer(order, outcome) }
    } catch {
      // The orders go without an answer, which tells the askers that nobody knows.
      logger.error("\(orders.count) commands failed: \(error)")
    }
  }

  private func untilConnected<Value: Sendable>(
    _ operation: () async throws -> Value
  ) async throws -> Value {
    while true {
      do {
        return try await operation()
      } catch let error as StoreDisconnected {
        logger.warning("the database is not there, trying again: \(error)")
        try await Task.sleep(for: .milliseconds(250))
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
    switch order {
    case .asked(let request): request.reply(outcome)
    case .sent where outcome == .invalidName:
      results.send(.failure(.invalidName), replayed: false)
    case .sent: break
    }
  }
}
