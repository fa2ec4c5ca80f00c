import Foundation
import SharedChannels
import Synchronization

/// A log in the memory of which one call in five fails, in each way that the protocol allows.
final class UnreliableLog: SharedLog {
  private let log: MemoryLog
  private let appends = Mutex(0)
  private let ends = Mutex(0)
  private let refusesWhatItStores: Bool

  /// - Parameter refusesWhatItStores: Whether it also fails in a way that the protocol does not allow.
  init(_ storage: MemoryLog.Storage, refusesWhatItStores: Bool = false) {
    (log, self.refusesWhatItStores) = (MemoryLog(storage), refusesWhatItStores)
  }

  func append(_ batch: [Keyed<Data>]) async throws -> [Receipt] {
    // Three in a row: the second and the third are tries of the batch that may be stored.
    switch count(appends) % 15 {
    case 3:
      _ = try await log.append(batch)
      throw LogFailure.unreachable("the answer is lost")
    case 4: throw LogFailure.unreachable("the batch is lost")
    case 5: throw LogFailure.refused("there is no space")
    case 10:
      if refusesWhatItStores { _ = try await log.append(batch) }
      throw LogFailure.refused("there is no space")
    default: return try await log.append(batch)
    }
  }

  func entries(after position: Position?) async throws -> [Logged<Data>] {
    try await log.entries(after: position)
  }

  func end() async throws -> Position {
    if count(ends) % 15 == 12 { throw LogFailure.unreachable("the end is not known") }
    return try await log.end()
  }

  func snapshot(upToVersion version: Int) async throws -> Snapshot? {
    try await log.snapshot(upToVersion: version)
  }

  func keep(_ snapshot: Snapshot) async throws { try await log.keep(snapshot) }

  func compact(before index: Int64, behind snapshot: Position) async throws -> Int {
    try await log.compact(before: index, behind: snapshot)
  }

  private func count(_ calls: borrowing Mutex<Int>) -> Int {
    calls.withLock {
      $0 += 1
      return $0
    }
  }
}
