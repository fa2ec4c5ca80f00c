import AsyncChannels
import Foundation
import Journeys

extension Workload {
  /// Resident bytes for each waiting subscriber, above a task that only waits.
  static func memory(_ scale: Scale) -> Workload {
    Workload(
      name: "memory", unit: "byte",
      cases: [
        Case(
          subscribers: 10_000, element: "Int",
          subjects: [
            Subject(name: "AsyncChannels") {
              try measureApart("waiting-channel", above: "waiting-task")
            },
            Subject(name: "AsyncStream") {
              try measureApart("waiting-stream", above: "waiting-task")
            },
          ], reference: "AsyncStream")
      ])
  }

  /// Bytes for each channel that nobody uses.
  static func idle(_ scale: Scale) -> Workload {
    Workload(
      name: "idle", unit: "byte",
      cases: [
        Case(
          subscribers: 0, element: "Int",
          subjects: [Subject(name: "AsyncChannels") { try measureApart("idle-channel") }],
          reference: "AsyncChannels")
      ])
  }

  /// Peak resident bytes for each element of a burst that is sent, and then read.
  static func burstMemory(_ scale: Scale) -> Workload {
    Workload(
      name: "burst-memory", unit: "byte",
      cases: [
        Case(
          subscribers: 1, element: "Int",
          subjects: [
            Subject(name: "AsyncChannels") { try measureApart("burst-channel") },
            Subject(name: "AsyncStream") { try measureApart("burst-stream") },
          ], reference: "AsyncStream")
      ])
  }
}

/// Memory is measured in a process of its own for each subject: what one leaves behind, another would
/// find and use.
private func measureApart(_ probe: String, above base: String? = nil) throws -> Double {
  try runProbe(probe) - (try base.map(runProbe) ?? 0)
}

private func runProbe(_ name: String) throws -> Double {
  let process = Process()
  process.executableURL = URL(filePath: CommandLine.arguments[0])
  process.arguments = ["--memory-probe", name]
  let output = Pipe()
  process.standardOutput = output
  try process.run()
  let answer = try output.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  let text = String(decoding: answer, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  guard process.terminationStatus == 0, let bytes = Double(text) else {
    throw WrongCount(description: "the memory probe \(name) said \"\(text)\"")
  }
  return bytes
}

/// What the process does when it is started for a memory figure: prints bytes for each object.
enum MemoryProbe {
  static func run(_ name: String) async throws -> Double {
    switch name {
    case "waiting-channel":
      let channel = Channel<Int>()
      return try await waiting(10_000) { for await _ in channel.outlet {} }
    case "waiting-stream":
      return try await waiting(10_000) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        for await _ in stream {}
        continuation.finish()
      }
    case "waiting-task":
      return try await waiting(10_000) {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
          Parked.shared.continuations.withLock { $0.append(continuation) }
        }
      }
    case "idle-channel":
      let before = residentBytes()
      let channels = (0..<100_000).map { _ in Channel<Int>() }
      let after = residentBytes()
      return Double(after - before) / Double(channels.count)
    case "burst-channel":
      let channel = Channel<Int>()
      let subscription = channel.outlet.subscribe()
      let before = residentBytes()
      for number in 0..<1_000_000 { channel.send(number) }
      channel.finish()
      // Not here on the main thread: the stream's reader would leave it and come back each time.
      try await inChildTask {
        var received = 0
        for await number in subscription where number == received { received += 1 }
        try WrongCount.check(name, received, is: 1_000_000)
      }
      return Double(peakResidentBytes() - before) / 1_000_000
    case "burst-stream":
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      let before = residentBytes()
      for number in 0..<1_000_000 { continuation.yield(number) }
      continuation.finish()
      try await inChildTask {
        var received = 0
        for await number in stream where number == received { received += 1 }
        try WrongCount.check(name, received, is: 1_000_000)
      }
      return Double(peakResidentBytes() - before) / 1_000_000
    default:
      throw WrongCount(description: "there is no memory probe \(name)")
    }
  }

  private static func waiting(
    _ count: Int, _ wait: @escaping @Sendable () async -> Void
  ) async throws -> Double {
    let begun = Tally()
    let before = residentBytes()
    let tasks = (0..<count).map { _ in
      Task.detached {
        begun.raise()
        await wait()
      }
    }
    while begun.value < count { await Task.yield() }
    // The last of them still have to fall asleep.
    try await Task.sleep(for: .milliseconds(300))
    let after = residentBytes()
    withExtendedLifetime(tasks) {}
    return Double(after - before) / Double(count)
  }
}

private final class Parked: Sendable {
  static let shared = Parked()
  let continuations = Shared<[UnsafeContinuation<Void, Never>]>([])
}

/// From `/proc/self/status`, in bytes.
private func statusBytes(_ field: String) -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
  return line.flatMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first }
    .flatMap { Int($0) }.map { $0 * 1024 } ?? 0
}

private func residentBytes() -> Int { statusBytes("VmRSS") }
private func peakResidentBytes() -> Int { statusBytes("VmHWM") }
