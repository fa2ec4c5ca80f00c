public import Foundation

/// A log that several machines append to and read from, in one order. An engine implements it, on a database.
///
/// The check of an engine is `LogConformance` in the module `SharedLogConformance`: it tests each sentence below.
///
/// **One order.** Entries get the indexes 1, 2, 3, …. All readers see the same entries under the same indexes. An
/// entry that was read, or for which there is a ``Receipt``, is durable, and no entry appears before it later.
///
/// **Epochs.** A log that was set back has fewer entries than a reader knows, or others in their place. The engine
/// notices this when a position is read after whose ``Position/mark`` the log does not have. It then gives the log
/// another epoch, once, however many machines notice it.
///
/// A value of an engine is a handle for one ``SharedChannel``. Calls that run at a time may wait for each other, but not for
/// one that waits for entries. All are cancelled with their task: then they throw, and the outcome of an append is
/// unknown.
public protocol SharedLog: Sendable {
  /// Appends a batch in one step, in its order: the entries of a batch are consecutive, and are all stored or none.
  ///
  /// An element whose key the log has, or that came earlier in the batch, is not appended again.
  ///
  /// - Parameter batch: Any number of entries with valid keys, and 8 MiB in all or a single entry.
  /// - Returns: A receipt for each element, in the order of the batch, when all are durable.
  /// - Throws: ``LogFailure/refused(_:)`` if nothing was stored, and nothing will be. After any other error nobody
  ///   knows: append the batch again.
  func append(_ batch: [Keyed<Data>]) async throws -> [Receipt]

  /// The entries after a position, in order. Waits until there is at least one.
  ///
  /// It gives as many as the engine likes, which should be bounded in bytes: the caller asks again with the last
  /// position. So a slow reader delays nobody and costs no memory.
  ///
  /// - Parameter position: Where to go on; nil to begin with the first entry that is there.
  /// - Throws: ``LogFailure/otherEpoch(_:)`` if the log does not have the position, or has another epoch.
  ///   ``LogFailure/gap(after:found:)`` if the position's entry was deleted, and later ones are there.
  func entries(after position: Position?) async throws -> [Logged<Data>]

  /// The place after the last entry that is durable now; its index is 0 if there is no entry.
  func end() async throws -> Position

  /// The newest snapshot of a version, or if there is none, that of the next older version that has one; nil if none
  /// has. It has the log's present epoch, and its position is in the log.
  func snapshot(upToVersion version: Int) async throws -> Snapshot?

  /// Stores a snapshot in place of an older one of the same version. Does nothing if there is a newer one, or if
  /// the log does not have its position.
  func keep(_ snapshot: Snapshot) async throws

  /// Takes an entry's content away, so that it is *blank*: it keeps its key and its place, and no machine applies it.
  /// For one that no program can decode, or on which each traps.
  ///
  /// Snapshots of the entry and of later ones are removed, and the log gets another epoch: all machines begin anew, from
  /// an older snapshot or from the log's beginning. Replies that were given before may be others then. Copies of the
  /// content that are not the log's (backups, freed pages of a file) stay. Does nothing if the log does not have the
  /// position.
  ///
  /// - Throws: ``LogFailure/refused(_:)`` if the engine cannot do it, as one that does not implement it, or if a version
  ///   could not begin anew: the log's first entries were deleted, and its snapshot has the entry.
  func blank(_ position: Position) async throws

  /// Deletes the log's oldest entries with their keys, and the snapshots of deleted places. The epoch stays the same.
  ///
  /// - Parameters:
  ///   - index: Entries from this one on are not deleted.
  ///   - snapshot: The place of a snapshot that the log has. Its last entry and those after it are not deleted. Nothing is
  ///     if the log has no snapshot there.
  /// - Returns: How many were deleted: as many as the engine likes, which should hold up an append for a few
  ///   milliseconds only. 0 if there are no more to delete.
  /// - Throws: ``LogFailure/refused(_:)`` if the engine cannot do it, as one that does not implement it.
  func compact(before index: Int64, behind snapshot: Position) async throws -> Int

  /// Deletes some entries with their keys, wherever they are before a snapshot: for a person who is to be forgotten.
  ///
  /// The log's first entry and all snapshots before that one are deleted with them, since no state can be made of the rest.
  /// The log gets another epoch: all machines begin anew, with the snapshot. Copies of the content that are not the log's
  /// (backups, freed pages of a file) stay.
  ///
  /// - Parameters:
  ///   - indexes: Those of the entries. Those that are not there are left out.
  ///   - snapshot: The place of a snapshot that the log has. Its last entry and those after it are not deleted.
  /// - Returns: Whether that is so; false if the log has no snapshot there, and then nothing is done.
  /// - Throws: ``LogFailure/refused(_:)`` if the engine cannot do it, as one that does not implement it.
  func delete(_ indexes: [Int64], behind snapshot: Position) async throws -> Bool
}

extension SharedLog {
  public func blank(_ position: Position) async throws {
    throw LogFailure.refused("this engine cannot make an entry blank")
  }

  public func compact(before index: Int64, behind snapshot: Position) async throws -> Int {
    throw LogFailure.refused("this engine cannot delete entries")
  }

  public func delete(_ indexes: [Int64], behind snapshot: Position) async throws -> Bool {
    throw LogFailure.refused("this engine cannot delete entries")
  }

  /// Gives each entry that is there at the call, in order, page by page.
  package nonisolated(nonsending) func forEachEntry(
    after start: Position? = nil, _ body: (Logged<Data>) throws -> Void
  ) async throws {
    let end = try await end()
    var last = start
    while last?.index ?? 0 < end.index {
      for entry in try await entries(after: last) {
        last = entry.position
        try body(entry)
      }
    }
  }
}

/// A folded state, so that a start need not read the log from its beginning.
public struct Snapshot: Hashable, Sendable {
  /// ``SharedState/version`` of the state.
  public let version: Int
  /// The last entry that is part of it.
  public let position: Position
  /// The encoded state.
  public let data: Data

  public init(version: Int, position: Position, data: Data) {
    (self.version, self.position, self.data) = (version, position, data)
  }
}
