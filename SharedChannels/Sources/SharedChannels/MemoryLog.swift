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

  public func snapshot(version: Int) async throws -> Snapshot? {
    storage.contents.withLock { $0.snapshot(version: version) }
  }

  public func keep(_ snapshot: Snapshot) async throws {
    storage.contents.withLock { $0.keep(snapshot) }
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
    private var epoch = UUID().uuidString
    private var entries: [(mark: Int64, key: String, data: Data)] = []
    private var indexes: [String: Int] = [:]
    private var snapshots: [Int: Snapshot] = [:]

    var end: Position { position(entries.count) }

    private func position(_ index: Int) -> Position {
      Position(epoch: epoch, index: Int64(index), mark: index == 0 ? 0 : entries[index - 1].mark)
    }

    private func has(_ position: Position) -> Bool {
      position.index <= entries.count && position.mark == self.position(Int(position.index)).mark
    }

    mutating func append(_ batch: [Keyed<Data>]) -> [Receipt] {
      let mark = Int64.random(in: 1 ... .max)
      return batch.map { element in
        if let index = indexes[element.key] {
          return Receipt(position: position(index), isRepeated: true)
        }
        entries.append((mark, element.key, element.value))
        indexes[element.key] = entries.count
        return Receipt(position: end, isRepeated: false)
      }
    }

    mutating func entries(after known: Position?) throws -> [Logged<Data>] {
      if let known {
        if known.epoch == epoch, !has(known) { epoch = UUID().uuidString }
        guard known.epoch == epoch else { throw LogFailure.otherEpoch(epoch) }
      }
      var (page, bytes) = ([Logged<Data>](), 0)
      for (place, entry) in entries[Int(known?.index ?? 0)...].prefix(500).enumerated() {
        let index = Int(known?.index ?? 0) + place + 1
        page.append(Logged(position: position(index), key: entry.key, value: entry.data))
        bytes += entry.data.count
        if bytes >= 4 << 20 { break }
      }
      return page
    }

    func snapshot(version: Int) -> Snapshot? {
      snapshots[version].map {
        Snapshot(version: version, position: position(Int($0.position.index)), data: $0.data)
      }
    }

    mutating func keep(_ snapshot: Snapshot) {
      guard snapshot.position.epoch == epoch, has(snapshot.position) else { return }
      guard snapshot.position.index > snapshots[snapshot.version]?.position.index ?? 0 else {
        return
      }
      snapshots[snapshot.version] = snapshot
    }
  }
}
