import AsyncChannels
public import Foundation
import Synchronization

/// A log in the memory of one process, for tests and previews. Several handles can share one ``Storage``.
public struct MemoryLog: SharedLog {
  private let storage: Storage

  /// - Parameter storage: What the handle appends to and reads.
  public init(_ storage: Storage = Storage()) {
    self.storage = storage
  }

  public func append(_ batch: [Keyed<Data>]) async throws -> [Receipt] {
    try Task.checkCancellation()
    return storage.append(batch)
  }

  public func entries(after position: Position?) async throws -> [Logged<Data>] {
    // Each element is a look: the first immediately, the others after an append or a restore.
    for await _ in storage.changes.outlet {
      let entries = try storage.entries(after: position)
      if !entries.isEmpty { return entries }
    }
    throw CancellationError()
  }

  public func end() async throws -> Position {
    storage.contents.withLock { $0.end }
  }

  public func snapshot(upToVersion version: Int) async throws -> Snapshot? {
    storage.contents.withLock { $0.snapshot(upToVersion: version) }
  }

  public func keep(_ snapshot: Snapshot) async throws {
    storage.contents.withLock { $0.keep(snapshot) }
  }

  public func blank(_ position: Position) async throws {
    try storage.contents.withLock { try $0.blank(position) }
    storage.changes.update { $0 += 1 }
  }

  public func compact(before index: Int64, behind snapshot: Position) async throws -> Int {
    storage.contents.withLock { $0.compact(before: index, behind: snapshot) }
  }

  public func delete(_ indexes: [Int64], behind snapshot: Position) async throws -> Bool {
    let isDone = storage.contents.withLock { $0.delete(indexes, behind: snapshot) }
    storage.changes.update { $0 += 1 }
    return isDone
  }

  /// What the handles of one log share.
  public final class Storage: Sendable {
    fileprivate let contents = Mutex(Contents())
    fileprivate let changes = CurrentValue(0)

    public init() {}

    /// Everything that is in the log, to be restored later.
    public func backUp() -> Backup {
      Backup(contents: contents.withLock { $0 })
    }

    /// Sets the log back. The next read after a position that is lost begins another epoch.
    public func restore(_ backup: Backup) {
      contents.withLock { $0 = backup.contents }
      changes.update { $0 += 1 }
    }

    fileprivate func append(_ batch: [Keyed<Data>]) -> [Receipt] {
      let receipts = contents.withLock { $0.append(batch) }
      changes.update { $0 += 1 }
      return receipts
    }

    fileprivate func entries(after position: Position?) throws -> [Logged<Data>] {
      try contents.withLock { try $0.entries(after: position) }
    }
  }

  /// The contents of a log at one time.
  public struct Backup: Sendable {
    fileprivate let contents: Contents
  }

  fileprivate struct Contents: Sendable {
    private struct Entry {
      let mark: Int64
      let key: String
      var data: Data
    }

    private var epoch = UUID().uuidString
    private var entries: [Int64: Entry] = [:]
    /// No entries are before this index.
    private var first: Int64 = 1
    private var last: Int64 = 0
    private var indexes: [String: Int64] = [:]
    private var snapshots: [Int: Snapshot] = [:]

    var end: Position { position(last) }

    /// - Parameter index: That of an entry that is there, or 0.
    private func position(_ index: Int64) -> Position {
      Position(epoch: epoch, index: index, mark: entries[index]?.mark ?? 0)
    }

    private func has(_ position: Position) -> Bool {
      position.index == 0 ? position.mark == 0 : entries[position.index]?.mark == position.mark
    }

    private func hasSnapshot(at place: Position) -> Bool {
      place.epoch == epoch && has(place)
        && snapshots.values.contains { $0.position.index == place.index }
    }

    mutating func append(_ batch: [Keyed<Data>]) -> [Receipt] {
      let mark = Int64.random(in: 1 ... .max)
      return batch.map { element in
        if let index = indexes[element.key] {
          return Receipt(position: position(index), isRepeated: true)
        }
        last += 1
        entries[last] = Entry(mark: mark, key: element.key, data: element.value)
        indexes[element.key] = last
        return Receipt(position: end, isRepeated: false)
      }
    }

    mutating func entries(after known: Position?) throws -> [Logged<Data>] {
      if let known {
        if known.epoch == epoch, !has(known) {
          if known.index < last, entries[known.index] == nil {
            let next = (max(known.index, first)...).first { entries[$0] != nil }
            throw LogFailure.gap(after: known.index, found: next ?? last)
          }
          epoch = UUID().uuidString
        }
        guard known.epoch == epoch else { throw LogFailure.otherEpoch(epoch) }
      }
      var (page, bytes) = ([Logged<Data>](), 0)
      var index = max(known?.index ?? 0, first - 1)
      while index < last, page.count < 500, bytes < 4 << 20 {
        index += 1
        guard let entry = entries[index] else { continue }
        page.append(Logged(position: position(index), key: entry.key, value: entry.data))
        bytes += entry.data.count
      }
      return page
    }

    func snapshot(upToVersion version: Int) -> Snapshot? {
      let newest = snapshots.keys.filter { $0 <= version }.max().flatMap { snapshots[$0] }
      return newest.map {
        Snapshot(version: $0.version, position: position($0.position.index), data: $0.data)
      }
    }

    mutating func keep(_ snapshot: Snapshot) {
      guard snapshot.position.epoch == epoch, has(snapshot.position) else { return }
      guard snapshot.position.index > snapshots[snapshot.version]?.position.index ?? 0 else {
        return
      }
      snapshots[snapshot.version] = snapshot
    }

    mutating func blank(_ position: Position) throws {
      guard position.epoch == epoch, has(position), position.index > 0 else { return }
      let older = snapshots.filter { $0.value.position.index < position.index }
      if entries[1] == nil, older.count < snapshots.count {
        throw LogFailure.refused("a version could not begin anew: its snapshot has the entry")
      }
      entries[position.index]?.data = Data()
      snapshots = older
      epoch = UUID().uuidString
    }

    mutating func compact(before index: Int64, behind snapshot: Position) -> Int {
      let stop = min(index, snapshot.index)
      guard hasSnapshot(at: snapshot), first < stop else { return 0 }
      let count = (first..<stop).count { remove($0) }
      first = stop
      snapshots = snapshots.filter { $0.value.position.index >= first }
      return count
    }

    mutating func delete(_ indexes: [Int64], behind snapshot: Position) -> Bool {
      guard hasSnapshot(at: snapshot) else { return false }
      for index in [1] + indexes where index < snapshot.index { _ = remove(index) }
      snapshots = snapshots.filter { $0.value.position.index >= snapshot.index }
      epoch = UUID().uuidString
      return true
    }

    /// Returns whether it was there.
    private mutating func remove(_ index: Int64) -> Bool {
      guard let entry = entries.removeValue(forKey: index) else { return false }
      indexes[entry.key] = nil
      return true
    }
  }
}
