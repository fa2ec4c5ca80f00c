import Foundation
import SharedChannels
import SharedLogConformance
import SharedLogNATS
import XCTest

/// Streams of servers of the tests' own.
struct NATSEngine: LogUnderTest {
  let address: String
  let replicas: Int
  let control: NATSControl

  /// Over the servers that `check` has started. Skips the test without them.
  static func ofTests(_ variable: String = "SHARED_LOG_NATS") throws -> NATSEngine {
    let environment = ProcessInfo.processInfo.environment
    guard let address = environment[variable], let folder = environment[variable + "_FOLDER"] else {
      throw XCTSkip("there is no NATS in \(variable)")
    }
    return NATSEngine(
      address: address, replicas: address.split(separator: ",").count,
      control: NATSControl(folder: folder))
  }

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

  @discardableResult
  func callAsFunction(_ arguments: String...) throws -> String {
    try execute("python3", [program, folder] + arguments)
  }

  private let program =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../nats.py").standardizedFileURL.path
}

func requireUnreachable(_ call: () async throws -> Void) async throws {
  do {
    try await call()
    XCTFail("the log should not be reached")
  } catch LogFailure.unreachable {}
}
