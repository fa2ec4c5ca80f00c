import AsyncChannels
import Foundation
import SharedChannels
import XCTest

/// Three machines, each with five clients, while faults happen: what the clients are told is linearizable, so nothing
/// that was answered is lost or applied twice, no state goes back, and the service goes on after each fault. Meanwhile the
/// machines delete old entries: all but so many that no client asks again with a key that is gone.
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
      try await fill(log, count: kept, Tally())
    } orSay: {
      "the log cannot be filled"
    }
  }
  let channels = try (0..<3).map { _ in
    SharedChannel(
      Tally(), log: ArchivingLog(log: try makeLog(), reader: try makeLog(), archive: archive),
      snapshotInterval: 50, history: kept)
  }
  let states = channels.map { $0.state.subscribe() }
  let isOver = CurrentValue(false)
  var service = ServiceProbe(channels: channels)
  var history = try await withThrowingTaskGroup(of: ClientHistory.self) { group in
    for channel in channels {
      group.addTask {
        await channel.run()
        return ClientHistory()
      }
    }
    let clients = clients(of: channels, until: isOver.outlet)
    for client in clients {
      group.addTask { await client.run() }
    }
    for _ in 0..<(roundsOfEnvironment ?? rounds) {
      try await Task.sleep(for: .milliseconds(.random(in: 300...600)))
      try await fault()
      let instant = ContinuousClock.now
      do {
        try await service.requireAnswers(since: instant)
      } catch {
        try? await mend(instant)
        throw error
      }
      try await mend(instant)
      try await service.requireAnswers()
    }
    try await requireProgress(of: channels)
    if deletes { try await requireDeletion(by: channels) }
    isOver.value = true
    for channel in channels { channel.finish() }
    group.addTask {
      try await Task.sleep(for: .seconds(120))
      throw LogFailure.unreachable("the channels do not end: \(channels.map(\.health.value))")
    }
    var history = ClientHistory()
    for _ in 0..<channels.count + clients.count { history += try await group.next()! }
    group.cancelAll()
    return history
  }
  for channel in channels {
    XCTAssertEqual(channel.health.value.restarts, 0, "a machine has lost its place in the log")
  }
  for subscription in states {
    try await requireOneHistory(subscription)
  }
  let entries = try await within(.seconds(300)) {
    try await untilItSucceeds { try await archive.allEntries(of: log) }
  } orSay: {
    "the log cannot be read"
  }
  history += service.history
  history += try await others(entries)
  XCTAssertGreaterThan(history.answeredCount, 30)
  XCTAssertGreaterThan(history.readCount, 0)
  let began = ContinuousClock.now
  history.note(read: try await finalState(of: try makeLog()), from: began)
  try history.check(against: entries.map { $0.isBlank ? nil : $0.key })
  let deleted = entries.count - (try await allEntries(of: log).count)
  if deletes { XCTAssertGreaterThan(deleted, 0) }
  let commands = entries.count { !$0.isBlank }
  print(
    "\(commands) commands and \(history.readCount) reads are linearizable, \(deleted) entries deleted"
  )
  if roundsOfEnvironment != nil { print(service.summary) }
}

private func clients(
  of channels: [SharedChannel<Tally>], until isOver: StateOutlet<Bool>
) -> [TrialClient] {
  channels.indices.flatMap { number in
    let machines = Array(channels[number...] + channels[..<number])
    let habits: [TrialClient.Habit] = [.reads, .leaves, .waits, .waits, .waits]
    return habits.map { TrialClient(habit: $0, machines: machines, isOver: isOver) }
  }
}

func roundsOfEnvironment() throws -> Int? {
  guard let text = ProcessInfo.processInfo.environment["SHARED_LOG_ROUNDS"], !text.isEmpty else {
    return nil
  }
  return try XCTUnwrap(Int(text).flatMap { $0 > 0 ? $0 : nil }, "SHARED_LOG_ROUNDS is \(text)")
}

/// The service goes on: within two minutes, since the machine may be busy.
private func requireProgress(of channels: [SharedChannel<Tally>]) async throws {
  let state = channels[0].state
  let count = state.value.value.count
  try await within(.seconds(120)) {
    for await revised in state where revised.value.count >= count + 30 { return }
    throw CancellationError()
  } orSay: {
    "the service does not go on: \(channels.map(\.health.value))"
  }
}

/// Within two minutes.
private func requireDeletion(by channels: [SharedChannel<Tally>]) async throws {
  try await within(.seconds(120)) {
    while true {
      for channel in channels where await channel.counts.deleted > 0 { return }
      try await Task.sleep(for: .milliseconds(10))
    }
  } orSay: {
    "nothing is deleted: \(channels.map(\.health.value))"
  }
}

/// One epoch, and each state newer than the one before.
private func requireOneHistory(_ states: Subscription<Revised<Tally>>) async throws {
  var last: Position?
  for _ in 0..<states.pendingCount {
    guard let position = await states.next()?.position else { continue }
    if let last { XCTAssertTrue(position.isAtOrAfter(last), "\(position) comes after \(last)") }
    last = position
  }
}

/// The state of a machine that starts when all others have ended. Servers that have just come back may not answer
/// yet, so it has a minute.
private func finalState(of log: any SharedLog) async throws -> Revised<Tally> {
  let channel = SharedChannel(Tally(), log: log)
  async let running: Void = channel.run()
  let state = try await within(.seconds(60)) {
    try await untilItSucceeds { try await channel.upToDateState() }
  } orSay: {
    "there is no final state: \(channel.health.value)"
  }
  channel.finish()
  await running
  return state
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

/// How many commands were applied, and a digest of their keys in order.
struct Tally: SharedState, Equatable {
  private(set) var count = 0
  private var digest: UInt32 = 0

  mutating func apply(_ key: String) -> Int {
    for byte in key.utf8 { digest = digest &* 31 &+ UInt32(byte) }
    count += 1
    return count
  }
}
