import AsyncChannels
import Foundation
import SharedChannels

/// A server with clients that ask one command after the other. Whoever starts it writes a line when they begin, and
/// another when the clients of all servers have ended. It prints a line when it is ready for either, and its state.
struct Load {
  let log: any SharedLog
  let clients: Int
  let members: Int
  let seconds: Int
  /// How many entries the log keeps; nil for all.
  let history: Int?

  func run() async throws {
    let channel = SharedChannel(Team(members: members), log: log, history: history)
    async let running: Void = channel.run()
    for await health in channel.health where health.isServing { break }
    await Self.ask(clients: clients, members: members, seconds: seconds) { command in
      await channel.commands.ask(command)
    }
    if let revised = try await channel.upToDateState() {
      Self.print(line: "state \(revised.position?.index ?? 0) \(revised.value.checksum)")
    }
    channel.finish()
    await running
  }

  /// Returns when the clients of all servers have ended.
  static func ask(
    clients: Int, members: Int, seconds: Int,
    _ ask: @escaping @Sendable (Keyed<Team.Command>) async -> CommandOutcome<Int>?
  ) async {
    print(line: "ready")
    await awaitLine()
    let end = ContinuousClock.now + .seconds(seconds)
    let latencies = await withTaskGroup(of: [Int].self) { group in
      for client in 0..<clients {
        group.addTask {
          var latencies: [Int] = []
          while ContinuousClock.now < end {
            let begin = ContinuousClock.now
            let command = Team.Command(
              member: client % max(1, members), name: "m\(latencies.count)")
            let outcome = await ask(Keyed(key: UUID().uuidString, command))
            guard case .applied = outcome else { continue }
            latencies.append(Int((ContinuousClock.now - begin) / .microseconds(1)))
          }
          return latencies
        }
      }
      return await group.reduce(into: [Int]()) { $0 += $1 }.sorted()
    }
    let median = latencies.isEmpty ? 0 : latencies[latencies.count / 2]
    let slow = latencies.isEmpty ? 0 : latencies[latencies.count * 99 / 100]
    print(line: "answered \(latencies.count) median \(median) slow \(slow)")
    await awaitLine()
  }

  static func print(line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  /// On a thread that may block.
  static func awaitLine() async {
    await withCheckedContinuation { line in
      Thread.detachNewThread {
        _ = readLine()
        line.resume()
      }
    }
  }
}

/// A list that is renamed member by member.
struct Team: SharedState {
  struct Command: Codable, Sendable {
    let member: Int
    let name: String
  }

  private var names: [String]
  private var changes = 0

  init(members: Int) {
    names = (0..<members).map { "member \($0)" }
  }

  mutating func apply(_ command: Command) -> Int {
    changes += 1
    if names.indices.contains(command.member) { names[command.member] = command.name }
    return changes
  }

  /// The same for equal states, in each process (FNV-1a).
  var checksum: UInt64 {
    "\(changes) \(names)".utf8.reduce(0xcbf2_9ce4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
  }
}
