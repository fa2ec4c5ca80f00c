import Foundation
import SharedLogConformance
import XCTest

/// A network cable to a server of this machine, which can be cut. Skips the test if the system does not allow it.
struct Cable {
  /// Where the server is at the other end, as HOST:PORT.
  let address: String
  private let folder: URL

  /// - Parameter server: HOST:PORT.
  init(to server: String) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    do {
      address = try execute("python3", [Self.program, folder.path, "plug", server])
        .trimmingCharacters(in: .newlines)
    } catch {
      throw XCTSkip("there can be no cable here: \(error)")
    }
  }

  /// Cuts it for a while: shorter or longer than the limits of the clients.
  func cutForAWhile() async throws {
    try call("cut")
    try? await Task.sleep(for: .seconds(.random(in: 1...14)))
    try call("mend")
  }

  func unplug() {
    try? call("unplug")
    try? FileManager.default.removeItem(at: folder)
  }

  private func call(_ command: String) throws {
    try execute("python3", [Self.program, folder.path, command])
  }

  private static let program =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../cable.py").standardizedFileURL.path
}

/// A small file system, which can be filled. Skips the test if the system does not allow it.
struct SmallDisk {
  let folder: URL

  init(megabytes: Int) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    do {
      try execute("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", folder.path])
    } catch {
      throw XCTSkip("there can be no small disk here: \(error)")
    }
  }

  /// Leaves no byte, until ``empty()``.
  func fill() throws {
    try execute("sh", ["-c", "cat /dev/zero 2>/dev/null >\(folder.path)/filling; true"])
  }

  func empty() throws {
    try FileManager.default.removeItem(at: folder.appending(path: "filling"))
  }

  func fillForAWhile() async throws {
    try fill()
    try? await Task.sleep(for: .seconds(2))
    try empty()
  }

  func remove() {
    _ = try? execute("umount", ["-l", folder.path])
    try? FileManager.default.removeItem(at: folder)
  }
}

/// PgBouncer between clients and a database. Skips the test if it is not installed.
struct Pooler {
  let address: String
  private let process = Process()
  private let file: URL

  /// - Parameters:
  ///   - server: HOST:PORT.
  ///   - mode: `session` or `transaction`.
  init(to server: String, mode: String) async throws {
    let port = Int.random(in: 10_000..<30_000)
    let parts = server.split(separator: ":")
    address = "postgresql://shared@127.0.0.1:\(port)/postgres"
    file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).ini")
    try """
    [databases]
    * = host=\(parts[0]) port=\(parts[1]) user=shared
    [pgbouncer]
    listen_addr = 127.0.0.1
    listen_port = \(port)
    unix_socket_dir =
    auth_type = any
    pool_mode = \(mode)
    \(getuid() == 0 ? "user = postgres" : "")

    """.write(to: file, atomically: true, encoding: .utf8)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["PATH=/usr/sbin:/usr/bin:/bin", "pgbouncer", "-q", file.path]
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.start()
    while (try? PostgresEngine(address: address).query("SELECT 1")) == nil {
      guard process.isRunning else { throw XCTSkip("there is no PgBouncer") }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  func end() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: file)
  }
}
