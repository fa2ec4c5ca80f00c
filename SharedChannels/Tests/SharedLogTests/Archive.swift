import Foundation
import SharedChannels
import Synchronization

/// All entries of a log, also those that it deletes while ``ArchivingLog`` is its handle.
final class Archive: Sendable {
  private let entries = Mutex<[Logged<Data>]>([])

  /// All entries that are in the log now, and were.
  func allEntries(of log: any SharedLog) async throws -> [Logged<Data>] {
    try await read(log, before: try await log.end().index + 1)
    return entries.withLock { $0 }
  }

  func read(_ log: any SharedLog, before index: Int64) async throws {
    while true {
      let last = entries.withLock { $0.last?.position }
      guard last?.index ?? 0 < index - 1 else { return }
      let page = try await log.entries(after: last)
      entries.withLock { if $0.last?.position == last { $0 += page } }
    }
  }
}

/// A handle that archives entries before it deletes them.
struct ArchivingLog: SharedLog {
  let log: any SharedLog
  /// Another handle, since this one's reads wait for entries to come.
  let reader: any SharedLog
  let archive: Archive

  func append(_ batch: [Keyed<Data>]) async throws -> [Receipt] { try await log.append(batch) }

  func entries(after position: Position?) async throws -> [Logged<Data>] {
    try await log.entries(after: position)
  }

  func end() async throws -> Position { try await log.end() }

  func snapshot(upToVersion version: Int) async throws -> Snapshot? {
    try await log.snapshot(upToVersion: version)
  }

  func keep(_ snapshot: Snapshot) async throws { try await log.keep(snapshot) }

  func compact(before index: Int64, behind snapshot: Position) async throws -> Int {
    // With the entry after which the archive goes on.
    try await archive.read(reader, before: index + 1)
    return try await log.compact(before: index, behind: snapshot)
  }
}

/// Fills a new log with blank entries, and stores the state after them, which is that before them.
func fill(_ log: any SharedLog, count: Int, _ state: some SharedState) async throws {
  for first in stride(from: 1, through: count, by: 1_000) {
    let batch = (first..<first + 1_000).map { Keyed(key: "blank \($0)", Data()) }
    // A trial's log may fail.
    let last = try await untilItSucceeds { try await log.append(batch)[999].position }
    guard last.index >= count else { continue }
    let data = try JSONEncoder().encode(state)
    try await untilItSucceeds {
      try await log.keep(Snapshot(version: 1, position: last, data: data))
    }
  }
}
