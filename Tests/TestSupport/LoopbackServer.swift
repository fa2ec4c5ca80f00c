import AsyncChannels
package import Foundation
import Synchronization

/// A server process on loopback, written in Python, which is on every machine. What it answers is
/// decided by the path; see `loopbackServerScript`.
package final class LoopbackServer: Sendable {
  /// What the server says of itself, a line of JSON each.
  package struct Event: Decodable, Sendable {
    /// `listening`, `request`, or `gone` when the client has left while it was kept waiting.
    package let event: String
    package var port: Int?
    package var method: String?
    package var path: String?
    package var headers: [String: String]?
    package var body: String?
  }

  private let process: Process
  private let input: Pipe
  private let events: AsyncStream<Event>
  private let port: Int

  /// Starts a server; nil where there is no `python3`.
  package static func start() async throws -> LoopbackServer? {
    // Whatever proxy the machine has is not for loopback.
    setenv("no_proxy", "127.0.0.1,localhost", 1)
    setenv("NO_PROXY", "127.0.0.1,localhost", 1)
    let server = next.withLock { next in
      defer { next = Task { try await begin() } }
      return next ?? Task { try await begin() }
    }
    return try await server.value
  }

  /// Begun while the test before this server's runs: Python takes its time.
  private static let next = Locked<Task<LoopbackServer?, any Error>?>(nil)

  private static func begin() async throws -> LoopbackServer? {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let candidates = folders.split(separator: ":").map { "\($0)/python3" }
    guard let python = candidates.first(where: FileManager.default.isExecutableFile) else {
      return nil
    }
    return try await LoopbackServer(python: python)
  }

  private init(python: String) async throws {
    let script = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).py")
    try Data(loopbackServerScript.utf8).write(to: script)
    defer { try? FileManager.default.removeItem(at: script) }
    process = Process()
    input = Pipe()
    let output = Pipe()
    process.executableURL = URL(filePath: python)
    process.arguments = [script.path]
    process.standardInput = input
    process.standardOutput = output
    try process.start()
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    self.events = events
    Self.read(output.fileHandleForReading, into: continuation)
    let listening = try await within(.seconds(30), "starting the server") {
      for await event in events { return event }
      return Event(event: "ended")
    }
    guard let port = listening.port else {
      throw DeadlineExceeded(description: "the server did not say its port")
    }
    self.port = port
  }

  deinit { stop() }

  package func stop() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    precondition(process.ends(within: 20), "the server runs on after it was killed")
  }

  package func url(_ path: String) -> URL {
    URL(string: "http://127.0.0.1:\(port)/\(path)")!
  }

  package func nextEvent() async throws -> Event {
    try await within(.seconds(20), "an event of the server") { [events] in
      for await event in events { return event }
      throw DeadlineExceeded(description: "the server has ended")
    }
  }

  /// On a thread of its own: reading blocks.
  private static func read(_ file: FileHandle, into events: AsyncStream<Event>.Continuation) {
    let descriptor = file.fileDescriptor
    Thread.detachNewThread {
      // Keeps the descriptor open.
      defer { _ = file }
      var line = Data()
      var byte: UInt8 = 0
      while Foundation.read(descriptor, &byte, 1) == 1 {
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        if let event = try? JSONDecoder().decode(Event.self, from: line) { events.yield(event) }
        line = Data()
      }
      events.finish()
    }
  }
}
