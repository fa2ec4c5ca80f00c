import SharedChannels

/// Which entries and snapshots a log has, and whether a state can be made of them.
struct LogShape {
  private(set) var snapshots: [(version: Int, index: Int64)] = []
  private(set) var count = 0
  /// The first entry after which none is missing.
  private(set) var begin: Int64 = 1
  private(set) var last: Int64 = 0
  private var isThere: [Int64: Bool] = [:]

  /// Those of all versions, the newest first.
  static func snapshots(of log: any SharedLog) async throws -> [Snapshot] {
    var (snapshots, version) = ([Snapshot](), Int.max)
    while let snapshot = try await log.snapshot(upToVersion: version) {
      snapshots.append(snapshot)
      version = snapshot.version - 1
    }
    return snapshots
  }

  mutating func add(_ snapshot: Snapshot) {
    addSnapshot(version: snapshot.version, index: snapshot.position.index)
  }

  /// All come before the entries.
  mutating func addSnapshot(version: Int, index: Int64) {
    snapshots.append((version, index))
    isThere[index] = false
  }

  /// The next one in the log's order.
  mutating func addEntry(_ index: Int64) {
    if index != last + 1 { begin = index }
    (last, count) = (index, count + 1)
    if isThere[index] != nil { isThere[index] = true }
  }

  /// - Throws: ``LogFailure/refused(_:)`` if a version with a snapshot could not go on from there, or none could begin.
  func requireState() throws {
    for (version, index) in snapshots where isThere[index] != true || index < begin {
      throw LogFailure.refused(
        "the snapshot of version \(version) is at the entry \(index), and no entry is missing only from \(begin) on"
      )
    }
    if begin > 1, snapshots.isEmpty {
      throw LogFailure.refused("entries before \(begin) are missing, and there is no snapshot")
    }
  }
}
