import Foundation

/// How another process ended, and what it wrote to its standard error.
package struct ChildProcess {
  package enum End: CustomStringConvertible {
    case exit(Int32), signal(Int32), hung

    package var description: String {
      switch self {
      case .exit(let status): "exited with \(status)"
      case .signal(let signal): "died of signal \(signal)"
      case .hung: "hung"
      }
    }

    var isSuccess: Bool { if case .exit(0) = self { true } else { false } }
  }

  package let end: End
  package let standardError: String

  /// Runs a program to its end, or kills it after `limit`.
  package static func run(
    _ path: String, _ arguments: [String],
    environment: [String: String] = ProcessInfo.processInfo.environment,
    limit: Duration = .seconds(60)
  ) async throws -> ChildProcess {
    // Standard error goes to a file: nobody has to read it while the process runs.
    let output = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data().write(to: output)
    defer { try? FileManager.default.removeItem(at: output) }

    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: output)
    let (ends, continuation) = AsyncStream.makeStream(of: End.self)
    process.terminationHandler = { process in
      let status = process.terminationStatus
      continuation.yield(
        process.terminationReason == .uncaughtSignal ? .signal(status) : .exit(status))
    }
    try process.start()

    let identifier = process.processIdentifier
    let watchdog = Task {
      try await ContinuousClock().sleep(until: .now + limit)
      continuation.yield(.hung)
      kill(identifier, SIGKILL)
    }
    defer { watchdog.cancel() }
    let end = await ends.first { _ in true } ?? .hung
    return ChildProcess(
      end: end, standardError: String(decoding: try Data(contentsOf: output), as: UTF8.self))
  }
}
