import Foundation
import SharedChannels
import SharedLogConformance
import SharedLogNATS

/// Streams of servers of the tests' own.
struct NATSEngine: LogUnderTest {
  let address: String
  let replicas: Int
  let control: NATSControl

  func open(_ name: String) throws -> any SharedLog {
    NATSLog(try NATSAddress(address), name: name, replicas: replicas)
  }

  func backUp(_ name: String) throws { try control("backup", name) }

  func restore(_ name: String) throws { try control("restore", name) }

  func appender(_ name: String) -> AppenderCommand? {
    AppenderCommand(
      executable: worker, arguments: ["append", "nats", address, name, "\(replicas)"])
  }
}

/// Starts, stops and damages the servers in a folder.
struct NATSControl {
  let folder: String

  func callAsFunction(_ arguments: String...) throws {
    try execute("python3", [program, folder] + arguments)
  }

  private let program =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../nats.py").standardizedFileURL.path
}
