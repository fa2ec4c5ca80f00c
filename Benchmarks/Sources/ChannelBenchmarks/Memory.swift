import Foundation
import Journeys

extension Workload {
  /// Resident bytes for each waiting subscriber, above a task that only waits.
  static func memory(_ scale: Scale) -> Workload {
    Workload(
      name: "memory", unit: "byte",
      cases: [10_000, 100_000].map { full in
        waiting(scale.count(full), "nonisolated", [.waitingChannel, .waitingStream], .waitingTask)
      } + [
        waiting(
          scale.count(10_000), "on an actor", [.waitingChannelOnAnActor, .waitingStreamOnAnActor],
          .waitingTaskOnAnActor)
      ])
  }

  private static func waiting(
    _ count: Int, _ isolation: String, _ probes: [MemoryProbe], _ base: MemoryProbe
  ) -> Case {
    Case(
      subscribers: count, element: isolation,
      subjects: zip(["AsyncChannels", "AsyncStream"], probes).map { name, probe in
        Subject(name: name) { try probe.bytes(of: count) - base.bytes(of: count) }
      }, reference: "AsyncStream")
  }

  /// Bytes for each of many channels that nobody uses, or that were sent to once.
  static func idle(_ scale: Scale) -> Workload {
    let count = scale.count(100_000)
    let subjects: [(String, MemoryProbe)] = [
      ("Channel", .idleChannel), ("Channel, sent to once", .channelSentToOnce),
      ("Input", .idleInput), ("Input, sent to once, taken", .inputSentToOnce),
      ("AsyncStream", .idleStream), ("AsyncStream, sent to once, taken", .streamSentToOnce),
    ]
    return Workload(
      name: "idle", unit: "byte",
      cases: [
        Case(
          subscribers: 0, element: "Int",
          subjects: subjects.map { name, probe in
            Subject(name: name) { try probe.bytes(of: count) }
          }, reference: "AsyncStream")
      ])
  }

  /// Peak resident bytes for each element of a burst that is sent, and then read.
  static func burstMemory(_ scale: Scale) -> Workload {
    let count = scale.count(1_000_000)
    return Workload(
      name: "burst-memory", unit: "byte",
      cases: [
        Case(
          subscribers: 1, element: "Int",
          subjects: [
            Subject(name: "AsyncChannels") { try MemoryProbe.burstChannel.bytes(of: count) },
            Subject(name: "AsyncStream") { try MemoryProbe.burstStream.bytes(of: count) },
          ], reference: "AsyncStream")
      ])
  }
}

extension MemoryProbe {
  /// Measured in a process of its own: what one probe leaves behind, another would find and use.
  fileprivate func bytes(of count: Int) throws -> Double {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = ["--memory-probe", rawValue, "\(count)"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: answer, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard process.terminationStatus == 0, let bytes = Double(text) else {
      throw WrongCount(description: "the memory probe \(rawValue) said \"\(text)\"")
    }
    return bytes
  }
}
