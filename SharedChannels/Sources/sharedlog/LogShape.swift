import Foundation
import SharedChannels

/// Which entries and snapshots a log has, and whether a state can be made of them.
struct LogShape {
  /// Those of all versions, the newest first.
  private(set) var snapshots: [(version: Int, index: Int64)] = []
  private(set) var count = 0
  /// The first entry after which none is missing.
  private(set) var begin: Int64 = 1
  private(set) var last: Int64 = 0
  private var isThere: [Int64: Bool] = [:]

  /// What takes the first entry's place while an archive is stored, so that no program makes a state of a part of it.
  static let placeholder = Data([1])

  /// Goes through a log, also while servers delete its oldest entries.
  ///
  /// - Throws: ``LogFailure/refused(_:)`` if it has no entries, or if no state can be made of those that it has.
  init(
    of log: any SharedLog, _ noteSnapshot: (Snapshot) throws -> Void = { _ in },
    _ noteEntry: (Logged<Data>) throws -> Void
  ) async throws {
    let end = try await log.end()
    if end.index == 0 {
      throw LogFailure.refused("the log has no entries, or there is no such log")
    }
    var version = Int.max
    // First: those of later entries could not be used.
    var places: [Int64: Position] = [:]
    while let snapshot = try await log.snapshot(upToVersion: version) {
      try noteSnapshot(snapshot)
      addSnapshot(version: snapshot.version, index: snapshot.position.index)
      places[snapshot.position.index] = snapshot.position
      version = snapshot.version - 1
    }
    var known: Position?
    while last < end.index {
      do {
        for entry in try await log.entries(after: known) {
          known = entry.position
          guard entry.position.epoch == end.epoch, entry.position.index > last,
            places[entry.position.index].map({ $0 == entry.position }) ?? true
          else {
            throw LogFailure.refused("the log was changed behind what was read: try again")
          }
          if entry.position.index == 1, entry.value == Self.placeholder {
            throw LogFailure.refused("what is stored of an archive is not whole: drop the log")
          }
          try noteEntry(entry)
          addEntry(entry.position.index)
        }
      } catch LogFailure.gap {
        // It goes on with the first that is there.
        known = nil
      }
    }
    try requireState()
  }

  /// Empty.
  init() {}

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
        """
        the snapshot of version \(version) is at the entry \(index), and entries before \(begin) are missing (if they \
        were deleted just now, try again)
        """)
    }
    if begin > 1, snapshots.isEmpty {
      throw LogFailure.refused("entries before \(begin) are missing, and there is no snapshot")
    }
  }
}
