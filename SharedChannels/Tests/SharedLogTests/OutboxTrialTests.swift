import AsyncChannels
import Foundation
import SharedChannels
import Synchronization
import XCTest

/// Effects while machines and the database fail.
final class OutboxTrialTests: XCTestCase {
  func test_overSQLiteNoEffectIsMissed_whateverMachineFails() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let engine = SQLiteEngine(folder: folder)
    try await requireNoEffectIsMissed(rounds: 5) { try engine.open("log") }
  }

  func test_overPostgreSQLNoEffectIsMissed_whateverMachineFails_andWhenTheServerCrashes()
    async throws
  {
    let environment = ProcessInfo.processInfo.environment
    guard let address = environment["SHARED_LOG_POSTGRES"] else {
      throw XCTSkip("there is no PostgreSQL in SHARED_LOG_POSTGRES")
    }
    let engine = PostgresEngine(address: address)
    let schema = "outbox\(UInt32.random(in: 0 ... .max))"
    defer { _ = try? engine.query("DROP SCHEMA \(schema) CASCADE") }
    try await requireNoEffectIsMissed(rounds: 5) {
      try engine.open(schema)
    } fault: {
      guard let control = environment["SHARED_LOG_POSTGRES_CONTROL"] else { return }
      try execute(control, ["crash"])
    }
  }

  /// Three machines take orders and carry out an effect for each. In each round one fails and another starts, and the
  /// database may fail. Old entries are deleted meanwhile. In the second half of the rounds, those that start are of a new
  /// version, which takes over.
  private func requireNoEffectIsMissed(
    rounds: Int, _ makeLog: @escaping @Sendable () throws -> any SharedLog,
    fault: () async throws -> Void = {}
  ) async throws {
    let ledger = Ledger()
    let machines = CurrentValue(
      try (0..<3).map { _ in Machine(OldMailing(), try makeLog(), ledger) })
    let isOver = CurrentValue(false)
    let rounds = try roundsOfEnvironment() ?? rounds
    let ordered = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<4 {
        group.addTask { await Self.order(machines.outlet, until: isOver.outlet) }
      }
      for round in 1...rounds {
        try await Task.sleep(for: .milliseconds(.random(in: 500...1_500)))
        let next =
          round > rounds / 2
          ? Machine(NewMailing(), try makeLog(), ledger)
          : Machine(OldMailing(), try makeLog(), ledger)
        // Mostly the one that works.
        let working = machines.value.firstIndex { $0.id == ledger.lastMachine }
        let place = [working, working, nil].randomElement()! ?? .random(in: 0..<3)
        let failed = machines.value[place]
        machines.update { $0[place] = next }
        await failed.fail()
        try await fault()
      }
      // On a slow machine, few orders have come by now.
      let log = try makeLog()
      try await within(.seconds(120)) {
        func isDeleted() async -> Bool {
          // The server may have crashed just now.
          let first = try? await log.entries(after: nil).first
          return first.map { $0.position.index > 1 } ?? false
        }
        while await !isDeleted() || ledger.keys.count <= 40 {
          try await Task.sleep(for: .milliseconds(20))
        }
      } orSay: {
        "nothing is deleted, or few effects are carried out: \(ledger.keys.count)"
      }
      isOver.value = true
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let state = try await within(.seconds(120)) {
      while true {
        for machine in machines.value {
          let state = machine.state()
          if state is NewMailing, Set(ordered).isSubset(of: state.orders),
            state.mails.waiting.isEmpty
          {
            return state
          }
        }
        try await Task.sleep(for: .milliseconds(20))
      }
    } orSay: {
      "effects are missed: \(machines.value.map { $0.state().mails.waiting.count }) wait"
    }
    for machine in machines.value { await machine.fail() }
    XCTAssertGreaterThan(ordered.count, 30)
    XCTAssertEqual(state.mails.parked.map(\.key), [])
    var seen: Set<String> = []
    let carriedOut = ledger.keys
    XCTAssertEqual(carriedOut.filter { seen.insert($0).inserted }, state.orders, "not in the order")
    XCTAssertLessThan(ledger.longestOverlap, .milliseconds(300), "two machines work at once")
    print("\(seen.count) effects, \(carriedOut.count - seen.count) of them carried out again")
  }

  private static func order(
    _ machines: StateOutlet<[Machine]>, until isOver: StateOutlet<Bool>
  ) async -> [String] {
    var ordered: [String] = []
    while !isOver.value, !Task.isCancelled {
      let key = UUID().uuidString
      while await !machines.value.randomElement()!.takes(Keyed(key: key, .order(key))),
        !Task.isCancelled
      {
        try? await Task.sleep(for: .milliseconds(10))
      }
      ordered.append(key)
      try? await Task.sleep(for: .milliseconds(60))
    }
    return ordered
  }
}

/// What was carried out, by which machine.
private final class Ledger: Sendable {
  private struct Line {
    let key: String
    let machine: UUID
    let time: Range<ContinuousClock.Instant>
  }

  private let lines = Mutex<[Line]>([])
  var keys: [String] { lines.withLock { $0.map(\.key) } }
  var lastMachine: UUID? { lines.withLock { $0.last?.machine } }

  func note(_ key: String, by machine: UUID, since began: ContinuousClock.Instant) {
    let time = began..<max(began, .now)
    lines.withLock { $0.append(Line(key: key, machine: machine, time: time)) }
  }

  /// For how long two machines carried something out at the same time, at most.
  var longestOverlap: Duration {
    let times = lines.withLock { $0.map(\.time) }.sorted { $0.lowerBound < $1.lowerBound }
    return zip(times, times.dropFirst()).map { min($0.upperBound, $1.upperBound) - $1.lowerBound }
      .max() ?? .zero
  }
}

/// A channel with a worker, which notes the effects that it carries out. Some fail, and some take longer than a lease.
private struct Machine: Sendable {
  let id = UUID()
  let state: @Sendable () -> any Mailing
  private let ask: @Sendable (Keyed<MailCommand>) async -> Bool
  private let run: Task<Void, Never>

  init<State: Mailing>(_ initial: State, _ log: any SharedLog, _ ledger: Ledger) {
    let channel = SharedChannel(initial, log: log, snapshotInterval: 50, history: 100)
    let id = id
    let worker = OutboxWorker(
      channel, \.mails, command: { .mails($0) }, lease: .seconds(1), tries: 1_000,
      pause: .milliseconds(1)
    ) { mail, key in
      XCTAssertEqual(mail, key)
      let began = ContinuousClock.now
      switch Int.random(in: 0..<200) {
      case 0...1: throw LogFailure.unreachable("the effect fails")
      case 2: try await Task.sleep(for: .milliseconds(1_200))
      default: try await Task.sleep(for: .milliseconds(.random(in: 0...3)))
      }
      ledger.note(key, by: id, since: began)
    }
    run = Task {
      await withTaskGroup { group in
        group.addTask { await channel.run() }
        group.addTask { await worker.run() }
      }
    }
    state = { channel.state.value.value }
    ask = { command in
      switch await channel.commands.ask(command) {
      case .applied?, .repeated?: true
      case .notStored?, nil: false
      }
    }
  }

  func fail() async {
    run.cancel()
    await run.value
  }

  /// Whether it answers within a second that it has it. One that has failed never answers.
  func takes(_ order: Keyed<MailCommand>) async -> Bool {
    let asking = Task { await ask(order) }
    let limit = Task {
      try await Task.sleep(for: .seconds(1))
      asking.cancel()
    }
    defer { limit.cancel() }
    return await asking.value
  }
}

private enum MailCommand: Codable, Sendable {
  case order(String)
  case mails(Outbox<String>.Command)
}

private protocol Mailing: SharedState where Command == MailCommand, Reply == Void {
  var orders: [String] { get set }
  var mails: Outbox<String> { get set }
}

extension Mailing {
  mutating func apply(_ command: MailCommand) {
    switch command {
    case .order(let key):
      // Asked again when the log did not have its key any more.
      if orders.contains(key) { return }
      orders.append(key)
      mails.add(key, key: key)
    case .mails(let command): mails.apply(command)
    }
  }
}

private struct OldMailing: Mailing {
  var orders: [String] = []
  var mails = Outbox<String>()
}

private struct NewMailing: Mailing {
  var orders: [String] = []
  var mails = Outbox<String>()
  static var version: Int { 2 }

  static func upcast(state: Data, from version: Int) throws -> Self? {
    let old = try JSONDecoder().decode(OldMailing.self, from: state)
    return NewMailing(orders: old.orders, mails: old.mails)
  }
}
