import ArgumentParser
import Foundation
import NIOCore
import NIOPosix

/// Measures a server that runs: as many tabs as wanted, and changes or commands.
@main
struct LiveMembersLoad: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures a server that runs.", subcommands: [Tabs.self, Commands.self])
}

/// How long it takes until a change is in all tabs.
struct Tabs: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Opens tabs and makes changes: how long until all tabs have each?",
    discussion: "Empties the list first, and with each 40th change, so it has 39 members at most.")

  @OptionGroup var server: ServerOptions
  @Option(help: "How many tabs.") var tabs = 1_000
  @Option(help: "How many changes.") var changes = 40
  @Option(help: "Changes a second.") var rate = 10.0
  @Option(help: "The server's process: its memory and processor time are measured, too.")
  var pid: Int?

  func run() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let client = try await CommandClient.connect(to: server.port, on: group)
    guard try await client.post("/members/remove-all", "") == 204 else {
      throw LoadFailed(description: "the list cannot be emptied")
    }
    let before = pid.map(residentKiB)
    let meter = Meter(tabs: tabs)
    let channels = try await openTabs(meter, on: group)
    if let pid, let before {
      print("\((residentKiB(of: pid) - before) / tabs) KiB a tab")
    }

    var times: [Duration] = []
    var late = 0
    let first = meter.newest
    let start = ContinuousClock.now
    let processorBefore = pid.map(processorTime)
    for change in 1...changes {
      let begin = ContinuousClock.now
      let path = change % 40 == 0 ? "/members/remove-all" : "/members"
      guard try await client.post(path, "name=load-\(change)") == 204 else {
        throw LoadFailed(description: "change \(change) was refused")
      }
      guard let end = await meter.time(of: first + change, within: .seconds(20)) else {
        late += 1
        continue
      }
      times.append(end - begin)
      try await Task.sleep(until: begin + .seconds(1 / rate))
    }
    let took = ContinuousClock.now - start
    print(
      "\(tabs) tabs, \(changes) changes: \(meter.missed) missed, \(late) not everywhere in 20 s")
    if let times = Times(times) { print("until all tabs have it: \(times)") }
    print(String(format: "%.1f changes a second", Double(changes) / (took / .seconds(1))))
    if let pid, let processorBefore {
      let used = processorTime(of: pid) - processorBefore
      let share = String(format: "%.1f %%", 100 * (used / took))
      print("the server: \(share) of a processor, \(used / changes) a change")
    }
    for channel in channels { channel.close(promise: nil) }
    guard meter.missed == 0, late == 0 else { throw ExitCode.failure }
  }

  /// Some at a time, so that the queue of waiting connections does not overflow.
  private func openTabs(
    _ meter: Meter, on group: any EventLoopGroup
  ) async throws -> [any Channel] {
    let bootstrap = ClientBootstrap(group: group).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(TabHandler(meter))
      }
    }
    var channels: [any Channel] = []
    while channels.count < tabs {
      let some = (0..<min(250, tabs - channels.count)).map { _ in
        bootstrap.connect(host: "127.0.0.1", port: server.port)
      }
      channels += try await EventLoopFuture.whenAllSucceed(some, on: group.any()).get()
    }
    guard await meter.allAreOpen(within: .seconds(60)) else {
      throw LoadFailed(description: "not all tabs were given the list")
    }
    return channels
  }
}

/// How many commands a second are acknowledged.
struct Commands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Sends commands, one at a time on each connection: how many a second are stored?")

  @OptionGroup var server: ServerOptions
  @Option(help: "How many connections.") var clients = 64
  @Option(help: "For how many seconds.") var seconds = 5.0

  func run() async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    let all = try await withThrowingTaskGroup(of: [Duration].self) { group in
      for _ in 0..<clients { group.addTask { try await sendCommands(until: end) } }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    print("\(Int(Double(all.count) / seconds)) commands a second, \(clients) connections")
    if let times = Times(all) { print("until each is answered: \(times)") }
  }

  /// All are removed, then nine added, and again: so the list does not fill.
  private func sendCommands(until end: ContinuousClock.Instant) async throws -> [Duration] {
    let client = try await CommandClient.connect(
      to: server.port, on: MultiThreadedEventLoopGroup.singleton)
    var times: [Duration] = []
    while ContinuousClock.now < end {
      let begin = ContinuousClock.now
      let status =
        times.count % 10 == 0
        ? try await client.post("/members/remove-all", "")
        : try await client.post("/members", "name=load")
      guard status == 204 else { throw LoadFailed(description: "a command got \(status)") }
      times.append(ContinuousClock.now - begin)
    }
    return times
  }
}

struct ServerOptions: ParsableArguments {
  @Option(help: "The server's port.") var port = 8080
}

struct LoadFailed: Error, CustomStringConvertible {
  let description: String
}

/// The middle of many times, and what few exceed.
struct Times: CustomStringConvertible {
  private let sorted: [Duration]

  init?(_ times: [Duration]) {
    guard !times.isEmpty else { return nil }
    sorted = times.sorted()
  }

  var description: String {
    let high = sorted[sorted.count * 99 / 100]
    return "median \(sorted[sorted.count / 2]), 99 % \(high), longest \(sorted[sorted.count - 1])"
  }
}

/// The processor time that was used, as the system counts it; zero where it does not tell.
private func processorTime(of pid: Int) -> Duration {
  let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
  // After the program's name, which is in parentheses and may have anything in it.
  let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
  guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
    return .zero
  }
  return .seconds(1) * (user + system) / sysconf(Int32(_SC_CLK_TCK))
}

/// The memory that is in use, as the system counts it; zero where it does not tell.
private func residentKiB(of pid: Int) -> Int {
  let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS") }
  return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
}
