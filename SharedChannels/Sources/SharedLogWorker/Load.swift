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
    print(line: "ready")
    await awaitLine()
    let (answered, latencies) = await ask(channel)
    let sorted = latencies.sorted()
    let median = sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    let slow = sorted.isEmpty ? 0 : sorted[sorted.count * 99 / 100]
    print(line: "answered \(answered) median \(median) slow \(slow)")
    await awaitLine()
    if let revised = try await channel.upToDateState() {
      print(line: "state \(revised.position?.index ?? 0) \(revised.value.checksum)")
    }
    channel.finish()
    await running
  }

  /// How many commands were answered, and how long each took, in microseconds.
  private func ask(_ channel: SharedChannel<Team>) async -> (Int, [Int]) {
    let end = ContinuousClock.now + .seconds(seconds)
    return await withTaskGroup(of: [Int].self) { group in
      for client in 0..<clients {
        group.addTask {
          var latencies: [Int] = []
          while ContinuousClock.now < end {
            let begin = ContinuousClock.now
            let command = Team.Command(
              member: client % max(1, members), name: "m\(latencies.count)")
            let outcome = await channel.commands.ask(Keyed(key: UUID().uuidString, command))
            guard case .applied = outcome else { continue }
            latencies.append(Int((ContinuousClock.now - begin) / .microseconds(1)))
          }
          return latencies
        }
      }
      let all = await group.reduce(into: [Int]()) { $0 += $1 }
      return (all.count, all)
    }
  }

  private func print(line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  /// On a thread that may block.
  private func awaitLine() async {
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
