import AsyncChannels
import Foundation
import SharedChannels
import SharedLogConformance
import Synchronization
import XCTest

/// Commands are taken out of a log while machines use it.
final class DeletionTests: XCTestCase {
  func test_overSQLiteNothingElseIsLost() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await requireOthersStay(SQLiteEngine(folder: folder))
  }

  func test_overPostgreSQLNothingElseIsLost() async throws {
    guard let address = ProcessInfo.processInfo.environment["SHARED_LOG_POSTGRES"] else {
      throw XCTSkip("there is no server")
    }
    try await requireOthersStay(PostgresEngine(address: address))
  }

  /// Clients of three machines ask commands, again until they have a reply, while those of them that have one are deleted, but
  /// each third.
  private func requireOthersStay(_ engine: any LogUnderTest) async throws {
    let name = "deletion" + UUID().uuidString.lowercased().filter(\.isHexDigit).prefix(16)
    var channels: [SharedChannel<Tally>] = []
    for _ in 0..<3 {
      let log = try await engine.open(name)
      channels.append(SharedChannel(Tally(), log: log, snapshotInterval: 50))
    }
    let (machines, replied) = (channels, Replied())
    let runs = machines.map { machine in Task { await machine.run() } }
    try await within(.seconds(60)) {
      try await withThrowingTaskGroup { group in
        for machine in machines.indices {
          group.addTask {
            for number in 0..<200 {
              let key = "\(machine) \(number)"
              try await Self.ask(key, machines[machine])
              replied.insert(key)
            }
          }
        }
        for round in 0..<10 {
          while replied.count < (round + 1) * 50 { try await Task.sleep(for: .milliseconds(1)) }
          let gone = replied.present
          _ = try await machines[round % 3].deleteCommands {
            gone.contains($0.key) && Self.isDeleted($0.key)
          }
        }
        try await group.waitForAll()
      }
      try await machines[0].deleteCommands { Self.isDeleted($0.key) }
    } orSay: {
      "\(replied.count) commands: \(machines.map(\.health.value))"
    }
    for machine in machines { machine.finish() }
    for run in runs { await run.value }

    let log = try await engine.open(name)
    let late = SharedChannel(Tally(), log: log)
    let run = Task { await late.run() }
    let state = try await late.upToDateState()
    XCTAssertEqual(state?.value.count, 600)
    var keys: Set<String> = []
    try await log.forEachEntry { if !$0.isBlank { keys.insert($0.key) } }
    // The first may be one of them.
    XCTAssertTrue(keys.isSubset(of: replied.present.filter { !Self.isDeleted($0) }))
    XCTAssertGreaterThanOrEqual(keys.count, 3 * 67 - 1)
    late.finish()
    await run.value
  }

  private static func ask(_ key: String, _ machine: SharedChannel<Tally>) async throws {
    while true {
      switch await machine.commands.ask(Keyed(key: key, key)) {
      case .applied?, .repeated?: return
      case .notStored(let reason)?: throw LogFailure.refused(reason)
      case nil: try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  private static func isDeleted(_ key: String) -> Bool {
    key.split(separator: " ").last.flatMap { Int($0) }.map { !$0.isMultiple(of: 3) } ?? false
  }

  private final class Replied: Sendable {
    private let keys = Mutex<Set<String>>([])
    var present: Set<String> { keys.withLock { $0 } }
    var count: Int { keys.withLock(\.count) }
    func insert(_ key: String) { keys.withLock { _ = $0.insert(key) } }
  }
}
