import AsyncChannels
import Foundation
import SharedChannels
import XCTest

/// Three machines, each with five clients, while faults happen: what was answered is in the state, nothing is there twice,
/// no state goes back, and the service goes on after them.
func requireNothingIsLost(
  _ makeLog: @Sendable () throws -> any SharedLog,
  during faults: @escaping @Sendable () async throws -> Void
) async throws {
  let channels = try (0..<3).map { _ in SharedChannel(Tally(), log: try makeLog()) }
  let states = channels.map { $0.state.subscribe() }
  let answered = try await withThrowingTaskGroup(of: [String].self) { group in
    for channel in channels {
      group.addTask {
        try await channel.run()
        return []
      }
      group.addTask { await askUntilFinished(channel) }
    }
    try await faults()
    try await requireProgress(of: channels)
    for channel in channels { channel.finish() }
    return try await group.reduce(into: []) { $0 += $1 }
  }
  let last = SharedChannel(Tally(), log: try makeLog())
  let state = try await finalState(of: last)
  XCTAssertGreaterThan(answered.count, 30)
  XCTAssertEqual(Set(answered).subtracting(state.keys), [], "an answered command is lost")
  XCTAssertEqual(state.keys.count, state.count, "a command was applied twice")
  for subscription in states {
    try await requireOneHistory(subscription)
  }
}

/// The service goes on: within two minutes, since the machine may be busy.
private func requireProgress(of channels: [SharedChannel<Tally>]) async throws {
  let state = channels[0].state
  let count = state.value.value.count
  let goesOn = await withTaskGroup(of: Bool.self) { group in
    group.addTask {
      for await revised in state where revised.value.count >= count + 30 { return true }
      return false
    }
    group.addTask {
      try? await Task.sleep(for: .seconds(120))
      return false
    }
    defer { group.cancelAll() }
    return await group.next() == true
  }
  guard goesOn else {
    throw LogFailure.unreachable("the service does not go on: \(channels.map(\.health.value))")
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

private func finalState(of channel: SharedChannel<Tally>) async throws -> Tally {
  async let running: Void = channel.run()
  var state: Revised<Tally>?
  // Servers that have just come back may not answer yet.
  for _ in 0..<10 where state == nil { state = try? await channel.upToDateState() }
  channel.finish()
  try await running
  return try XCTUnwrap(state).value
}

/// All keys that were applied, and how many commands.
struct Tally: SharedState {
  private(set) var keys: Set<String> = []
  private(set) var count = 0

  mutating func apply(_ key: String) -> Int {
    keys.insert(key)
    count += 1
    return count
  }
}

/// The keys of the commands that were answered. Five clients, each of which asks again with its key until there is an
/// answer.
private func askUntilFinished(_ channel: SharedChannel<Tally>) async -> [String] {
  await withTaskGroup(of: [String].self) { group in
    for _ in 0..<5 {
      group.addTask {
        var answered: [String] = []
        while true {
          let key = UUID().uuidString
          guard case .applied? = await channel.commands.ask(Keyed(key: key, key)) else {
            return answered
          }
          answered.append(key)
        }
      }
    }
    return await group.reduce(into: []) { $0 += $1 }
  }
}
