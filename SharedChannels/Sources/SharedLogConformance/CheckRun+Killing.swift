public import Foundation
public import SharedChannels
import Synchronization

/// What a process does that the suite kills.
public enum AppenderProgram {
  /// Appends batches of three entries, until it is killed. Writes the number of each batch on a line of standard
  /// output when its receipts are there.
  ///
  /// - Parameter first: The number of the first batch.
  public static func run(_ log: any SharedLog, first: Int) async throws -> Never {
    var number = first
    while true {
      _ = try await log.append(batch(number))
      acknowledge(number)
      number += 1
    }
  }

  /// What ``run(_:first:)`` appends under a number. Each value is its key, as a string in JSON.
  public static func batch(_ number: Int) -> [Keyed<Data>] {
    (0..<3).map { Keyed(key: "k-\(number)-\($0)", Data("\"k-\(number)-\($0)\"".utf8)) }
  }

  /// Writes a line in one step, so that it is there when the process is killed.
  public static func acknowledge(_ number: Int) {
    FileHandle.standardOutput.write(Data("\(number)\n".utf8))
  }
}

extension CheckRun {
  func checkKilledAppender() async throws {
    guard let command = engine.appender(name) else { return }
    _ = try await open().end()
    let folder = FileManager.default.temporaryDirectory.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var acknowledged: [Int] = []
    for round in 0..<6 {
      let lines = folder.appending(path: "\(round)")
      // It asks again for the batch of which nobody knows.
      let process = try command.start(at: (acknowledged.last ?? 0) + 1, writingTo: lines)
      try await waitForLine(in: lines, of: process)
      try await Task.sleep(for: .milliseconds(.random(in: 0...200)))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      acknowledged += try numbers(in: lines)
    }
    try requireHistory(try await readAll(open()), has: acknowledged)
  }

  private func waitForLine(in lines: URL, of process: Process) async throws {
    while try numbers(in: lines).isEmpty {
      try require(process.isRunning, "the appender has ended with \(process.terminationReason)")
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  private func numbers(in lines: URL) throws -> [Int] {
    String(decoding: try Data(contentsOf: lines), as: UTF8.self).split(separator: "\n")
      .compactMap { Int($0) }
  }

  /// Whether a log has all batches that were acknowledged, each once and whole.
  func requireHistory(_ entries: [Logged<Data>], has acknowledged: [Int]) throws {
    try require(!acknowledged.isEmpty, "nothing was acknowledged")
    try require(
      Set(entries.map(\.key)).count == entries.count, "an entry is in the log twice")
    try require(entries.count.isMultiple(of: 3), "a part of a batch is in the log")
    let batches = Set(stride(from: 0, to: entries.count, by: 3).map { entries[$0].key })
    for number in acknowledged {
      try require(
        batches.contains("k-\(number)-0"), "the batch \(number) was acknowledged, and is not there")
    }
    for start in stride(from: 0, to: entries.count, by: 3) {
      let number = entries[start].key.split(separator: "-")[1]
      try require(
        (0..<3).allSatisfy { entries[start + $0].key == "k-\(number)-\($0)" },
        "the batch \(number) is not whole")
    }
  }
}

extension AppenderCommand {
  /// Starts the program, which appends from this batch on and acknowledges in a file.
  package func start(at first: Int, writingTo lines: URL) throws -> Process {
    try Data().write(to: lines)
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments + ["\(first)"]
    process.standardOutput = try FileHandle(forWritingTo: lines)
    process.standardInput = FileHandle.nullDevice
    try process.start()
    return process
  }
}

extension Process {
  private static let starting = Mutex(())

  /// `run()`, but one after another. On Linux, a process that is started at the same time as another can inherit the
  /// file by which Foundation watches that one, and its pipes. That one then seems to run until both have ended.
  package func start() throws {
    try Self.starting.withLock { _ in try run() }
  }
}
