import AsyncChannels
import Foundation
import SharedChannels
import XCTest

/// Three machines, each with five clients, while faults happen: what the clients are told is linearizable, so nothing
/// that was answered is lost or applied twice, no state goes back, and the service goes on after each fault. Meanwhile the
/// machines delete old entries: all but so many that no client asks again with a key that is gone. During the fault of the
/// middle round, three machines of a new version take over. Some commands have an effect: each is carried out, in the
/// order of the commands.
///
/// - Parameters:
///   - rounds: How often the fault happens, unless `SHARED_LOG_ROUNDS` says it.
///   - fault: When it returns, the service must go on.
///   - mend: Ends a fault during which the service must go on. It is told when `fault` returned.
///   - deletes: Whether the engine can delete entries.
///   - others: What others than the trial's clients were told. It gets all entries, after all channels have ended.
func requireNothingIsLost(
  rounds: Int, deletes: Bool = true, _ makeLog: @Sendable () throws -> any SharedLog,
  fault: @Sendable () async throws -> Void = {},
  mend: @Sendable (ContinuousClock.Instant) async throws -> Void = { _ in },
  others: @Sendable ([Logged<Data>]) async throws -> ClientHistory = { _ in ClientHistory() }
) async throws {
  let roundsOfEnvironment = try roundsOfEnvironment()
  let archive = Archive()
  let kept = deletes ? 50_000 : nil
  let log = try makeLog()
  if let kept {
    try await within(.seconds(120)) {
      try await fill(log, count: kept, OldTrialState())
    } orSay: {
      "the log cannot be filled"
    }
  }
  func machine(_ state: some TrialState) throws -> any TrialMachine {
    SharedChannel(
      state, log: ArchivingLog(log: try makeLog(), reader: try makeLog(), archive: archive),
      snapshotInterval: 50, history: kept, takesOver: false)
  }
  let old = try (0..<3).map { _ in try machine(OldTrialState()) }
  let new = try (0..<3).map { _ in try machine(NewTrialState()) }
  let requireOneHistoryOfEach = (old + new).map { $0.followingStates() }
  let machines = CurrentValue(old)
  let (isOver, ledger) = (CurrentValue(false), TrialLedger())
  var service = ServiceProbe()
  var history = try await withThrowingTaskGroup(of: ClientHistory.self) { group in
    func start(_ machines: [any TrialMachine]) {
      for machine in machines {
        group.addTask {
          await machine.runWithWorker(ledger)
          return ClientHistory()
        }
      }
    }
    start(old)
    let clients = clients(of: machines.outlet, until: isOver.outlet)
    for client in clients {
      group.addTask { await client.run() }
    }
    let rounds = roundsOfEnvironment ?? rounds
    for round in 0..<rounds {
      try await Task.sleep(for: .milliseconds(.random(in: 300...600)))
      let isDeploy = round == rounds / 2
      if isDeploy {
        start(new)
        machines.value = old + new
      }
      async let takingOver: Void = isDeploy ? takeOver(by: new[0]) : ()
      try await fault()
      let instant = ContinuousClock.now
      do {
        try await service.requireAnswers(of: isDeploy ? new : machines.value, since: instant)
      } catch {
        try? await mend(instant)
        throw error
      }
      try await mend(instant)
      try await takingOver
      if isDeploy {
        machines.value = new
        try await requireReplaced(old)
        for machine in old { machine.finish() }
      }
      try await service.requireAnswers(of: machines.value)
    }
    try await requireProgress(of: machines.value)
    if deletes { try await requireDeletion(by: machines.value) }
    isOver.value = true
    group.addTask {
      try await Task.sleep(for: .seconds(240))
      throw LogFailure.unreachable("the channels do not end: \((old + new).map(\.health.value))")
    }
    var history = ClientHistory()
    for _ in 0..<old.count + clients.count { history += try await group.next()! }
    try await requireNoEffectWaits(on: new)
    for machine in new { machine.finish() }
    for _ in new { history += try await group.next()! }
    group.cancelAll()
    return history
  }
  for machine in old + new {
    XCTAssertEqual(machine.health.value.restarts, 0, "a machine has lost its place in the log")
  }
  for requireOneHistory in requireOneHistoryOfEach { requireOneHistory() }
  let began = ContinuousClock.now
  let (state, waiting) = try await finalState(of: try makeLog())
  let entries = try await within(.seconds(300)) {
    try await untilItSucceeds { try await archive.allEntries(of: log) }
  } orSay: {
    "the log cannot be read"
  }
  history += service.history
  history += try await others(entries)
  XCTAssertGreaterThan(history.answeredCount, 30)
  XCTAssertGreaterThan(history.readCount, 0)
  history.note(read: state, from: began)
  let keys = entries.map { $0.isBlank || TrialCommand.isOfWorker($0.key) ? nil : $0.key }
  try history.check(against: keys)
  let effects = keys.compactMap(\.self).filter(TrialCommand.hasEffect)
  XCTAssertFalse(effects.isEmpty)
  let carriedOut = ledger.keys
  // A client has left the last command, which came to be stored after the workers had ended.
  let rest = waiting.filter { !carriedOut.contains($0) }
  XCTAssertEqual(carriedOut + rest, effects, "effects are missed, or not in the order")
  let deleted = entries.count - (try await allEntries(of: log).count)
  if deletes { XCTAssertGreaterThan(deleted, 0) }
  print(
    """
    \(keys.count { $0 != nil }) commands and \(history.readCount) reads are linearizable, \(carriedOut.count) effects \
    carried out, \(deleted) entries deleted
    """)
  if roundsOfEnvironment != nil { print(service.summary) }
}

private func clients(
  of machines: StateOutlet<[any TrialMachine]>, until isOver: StateOutlet<Bool>
) -> [TrialClient] {
  (0..<3).flatMap { number in
    let habits: [TrialClient.Habit] = [.reads, .leaves, .waits, .waits, .waits]
    return habits.map {
      TrialClient(habit: $0, machines: machines, preferred: number, isOver: isOver)
    }
  }
}

func roundsOfEnvironment() throws -> Int? {
  guard let text = ProcessInfo.processInfo.environment["SHARED_LOG_ROUNDS"], !text.isEmpty else {
    return nil
  }
  return try XCTUnwrap(Int(text).flatMap { $0 > 0 ? $0 : nil }, "SHARED_LOG_ROUNDS is \(text)")
}

/// At some time of the fault.
private func takeOver(by machine: any TrialMachine) async throws {
  try await Task.sleep(for: .milliseconds(.random(in: 0...300)))
  try await untilItSucceeds { try await machine.takeOver() }
}

/// Within two minutes: a machine may have lost its connection.
private func requireReplaced(_ machines: [any TrialMachine]) async throws {
  try await within(.seconds(120)) {
    for machine in machines {
      for await health in machine.health where health.role == .replaced(by: 2) { break }
    }
  } orSay: {
    "a machine does not learn that it is replaced: \(machines.map(\.health.value))"
  }
}

/// The service goes on: within two minutes, since the machine may be busy.
private func requireProgress(of machines: [any TrialMachine]) async throws {
  let count = machines[0].lastTally.count
  try await within(.seconds(120)) {
    while machines[0].lastTally.count < count + 30 {
      try await Task.sleep(for: .milliseconds(10))
    }
  } orSay: {
    "the service does not go on: \(machines.map(\.health.value))"
  }
}

/// Within two minutes.
private func requireNoEffectWaits(on machines: [any TrialMachine]) async throws {
  try await within(.seconds(120)) {
    // A log that does not answer is asked again.
    while (try? await machines[0].upToDateTally()) == nil || !machines[0].waitingEffects.isEmpty {
      try await Task.sleep(for: .milliseconds(10))
    }
  } orSay: {
    "effects are missed: \(machines.map(\.waitingEffects.count)) wait"
  }
}

/// Within two minutes.
private func requireDeletion(by machines: [any TrialMachine]) async throws {
  try await within(.seconds(120)) {
    while true {
      for machine in machines where await machine.counts.deleted > 0 { return }
      try await Task.sleep(for: .milliseconds(10))
    }
  } orSay: {
    "nothing is deleted: \(machines.map(\.health.value))"
  }
}

/// The state, and the effects that wait, of a machine that starts when all others have ended. Servers that have just come back may not answer
/// yet, so it has a minute.
private func finalState(of log: any SharedLog) async throws -> (Revised<Tally>, [String]) {
  let channel = SharedChannel(NewTrialState(), log: log)
  async let running: Void = channel.run()
  let state = try await within(.seconds(60)) {
    try await untilItSucceeds { try await channel.upToDateTally() }
  } orSay: {
    "there is no final state: \(channel.health.value)"
  }
  let effects = channel.waitingEffects
  channel.finish()
  await running
  return (state, effects)
}

func allEntries(of log: any SharedLog) async throws -> [Logged<Data>] {
  var entries: [Logged<Data>] = []
  try await log.forEachEntry { entries.append($0) }
  return entries
}

func untilItSucceeds<Value>(_ work: () async throws -> Value?) async throws -> Value {
  while true {
    if let value = try? await work() { return value }
    try await Task.sleep(for: .milliseconds(100))
  }
}

/// Fails with a reason if the work takes longer.
func within<Value: Sendable>(
  _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value,
  orSay reason: @escaping @Sendable () -> String
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask { try await work() }
    group.addTask {
      try await Task.sleep(for: limit)
      throw LogFailure.unreachable("after \(limit): \(reason())")
    }
    defer { group.cancelAll() }
    return try await group.next()!
  }
}
